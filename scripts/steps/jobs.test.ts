import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../tests/support/server/program.ts';
import { findJobs } from './jobs.mjs';

const options = { env: {}, hasChromium: true, concurrency: 1 };

/** Returns the names of the jobs of a folder with these files, without those on PostgreSQL. */
async function jobsOf(files: string[], ...words: string[]) {
  const root = await mkdtemp(join(tmpdir(), 'wharf-jobs-'));
  const folders = ['server', 'islands', 'media', 'scripts', 'bench', 'tests'];
  for (const file of [...folders.map((folder) => `${folder}/other.ts`), ...files])
    await Bun.write(join(root, file), '');
  const { jobs } = findJobs(root, words, options);
  await rm(root, { recursive: true });
  return jobs.map(({ name }) => name).filter((name) => !name.startsWith('on PostgreSQL'));
}

test('files of a folder share a job; browser tests, crashes and packages have one each', async () => {
  const files = [
    'server/features/a/one.test.ts',
    'server/features/b/two.test.tsx',
    'islands/ui/three.test.tsx',
    'tests/http/a/four.test.ts',
    'tests/http/b/five.test.ts',
    'tests/e2e/a/six.e2e.ts',
    'tests/resilience/seven.test.ts',
    'tests/resilience/eight.test.ts',
    'tests/packaging/nine.test.ts',
  ];
  expect((await jobsOf(files)).sort()).toEqual([
    'islands/ui',
    'server/features',
    'tests/e2e/a/six.e2e.ts',
    'tests/http/a',
    'tests/http/b',
    'tests/packaging/nine.test.ts',
    'tests/resilience/eight.test.ts',
    'tests/resilience/seven.test.ts',
  ]);
  expect(await jobsOf(files, 'three', 'six')).toEqual(['tests/e2e/a/six.e2e.ts', 'islands/ui']);
  expect(await jobsOf(files, 'nothing')).toEqual([]);
});

test('no test file of the project is left out', () => {
  const { jobs } = findJobs(ROOT, [], options);
  const found = new Set(
    jobs.flatMap((job) => ('files' in job ? (job.files as string[]) : job.name)),
  );
  // Whatever Bun or Playwright would take for a test.
  const every = ['server', 'islands', 'media', 'scripts', 'bench', 'tests'].flatMap((folder) =>
    [
      ...new Bun.Glob('**/*[._]{test,spec,e2e}.{ts,tsx,js,jsx,mjs,mts,cjs}').scanSync(
        join(ROOT, folder),
      ),
    ].map((name) => `${folder}/${name}`),
  );
  expect(every.length).toBeGreaterThan(300);
  expect(every.filter((file) => !found.has(file))).toEqual([]);
});

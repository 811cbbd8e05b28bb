import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../../tests/support/server/program.ts';
import { findJobs } from './jobs.mjs';
import { ON_POSTGRES, ON_POSTGRES_AND_S3, otherEngines } from './postgres-tests.mjs';

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

test('the tests of another engine run on one, with objects in S3 only where they are listed for that', () => {
  const [disk, s3, ...more] = otherEngines(true);
  expect(more).toEqual([]);
  const files = [...new Bun.Glob('tests/{http,resilience}/**/*.test.ts').scanSync(ROOT)];
  const names = (isFor = (_file: string) => false) =>
    files
      .filter(isFor)
      .map((file) => basename(file))
      .sort();
  expect(names(disk?.isFor)).toEqual(Object.keys(ON_POSTGRES).sort());
  expect(names(s3?.isFor)).toEqual(Object.keys(ON_POSTGRES_AND_S3).sort());
  expect([disk, s3].map((engine) => engine?.env)).toEqual([
    { WHARF_TEST_ENGINE: 'postgres' },
    { WHARF_TEST_ENGINE: 'postgres', WHARF_TEST_STORAGE: 's3' },
  ]);
  const [only, ...others] = otherEngines(false);
  expect(others).toEqual([]);
  expect(names(only?.isFor)).toEqual([...names(disk?.isFor), ...names(s3?.isFor)].sort());
  expect(only?.env).toEqual({ WHARF_TEST_ENGINE: 'postgres' });
});

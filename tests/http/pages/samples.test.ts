import { afterAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UPLOAD_SAMPLES } from '../../../server/web/samples.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { groupServer } from '../../support/server/group-server.ts';
import { ROOT } from '../../support/server/program.ts';

const server = await groupServer();
const folder = await mkdtemp(join(tmpdir(), 'wharf-samples-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What runs each language, and what must be installed for it. */
const RUNNERS: Record<string, { run: string[]; probe: string[]; extension: string }> = {
  sh: { run: ['sh'], probe: ['curl', '--version'], extension: 'sh' },
  js: { run: ['node'], probe: ['node', '-e', "require('fs').openAsBlob.name"], extension: 'mjs' },
  python: { run: ['python3'], probe: ['python3', '-c', 'import requests'], extension: 'py' },
  php: { run: ['php'], probe: ['php', '-r', 'curl_version();'], extension: 'php' },
};

const isInstalled = ([program = '', ...args]: string[]) =>
  Bun.which(program) !== null && Bun.spawnSync([program, ...args]).success;

test.each(UPLOAD_SAMPLES)('the upload in $label works', async ({ language, code }) => {
  const runner = RUNNERS[language];
  if (!runner) throw new Error(`Nothing runs ${language}.`);
  if (!isInstalled(runner.probe)) return console.log(`skipped: ${runner.probe.join(' ')} fails`);
  const { token } = await signUp(server);
  const bucket = await createBucket(server, token);
  await cp(join(ROOT, 'server/features/landing/red-panda.jpg'), join(folder, 'photo.jpg'));
  const file = join(folder, `sample.${runner.extension}`);
  await Bun.write(file, code.replaceAll('{APP_URL}', server.url));
  const child = Bun.spawn([...runner.run, file], {
    cwd: folder,
    env: { PATH: process.env.PATH, API_KEY: bucket.api_key, BUCKET_ID: bucket.id },
    stderr: 'pipe',
  });
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(await child.exited, complaint).toBe(0);
  expect(JSON.parse(answer)).toMatchObject({ name: 'photo.jpg', access: 'public' });
});

import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImports } from '../../scripts/imports/scan.ts';
import { OperatorError } from '../config/operator-error.ts';
import { openObjects, originsOf, reachObjects } from './objects.ts';

const ROOT = join(import.meta.dir, '../..');
const folder = await mkdtemp(join(tmpdir(), 'wharf-adapters-'));
afterAll(() => rm(folder, { recursive: true }));

const s3 = (endpoint: string | null) => ({
  bucket: 'files',
  root: '',
  endpoint,
  region: 'eu-west-1',
  accessKeyId: 'key',
  secretAccessKey: 'very secret',
  sessionToken: null,
});

test('what speaks S3 is loaded by nobody who does not need it', async () => {
  const loaded: string[] = [];
  for await (const file of new Bun.Glob('{server,media}/**/*.{ts,tsx}').scan(ROOT)) {
    const isItself = file.startsWith('server/platform/storage/s3/') || file.endsWith('.test.ts');
    if (isItself) continue;
    const imports = readImports(file, await Bun.file(join(ROOT, file)).text());
    const isS3 = (target: string) => /^@aws-sdk\/|objects\/s3\//.test(target);
    if (imports.some((one) => isS3(one.target) && !one.isDynamic)) loaded.push(file);
  }
  expect(loaded).toEqual([]);
});

test('a storage that does not answer is told to who runs the server, of a region too', async () => {
  const disk = { kind: 'disk' as const, root: folder };
  await reachObjects({ home: disk, regions: {} });
  const unreachable = s3('http://127.0.0.1:1');
  for (const storage of [
    { home: { kind: 's3' as const, settings: unreachable }, regions: {} },
    { home: disk, regions: { OC: unreachable } },
  ]) {
    const error = await reachObjects(storage).catch((failure) => failure);
    expect(error).toBeInstanceOf(OperatorError);
    expect(error.message).toStartWith("Can't reach the bucket files at http://127.0.0.1:1");
  }
});

test('objects are on disk unless it is said otherwise', async () => {
  const store = await openObjects({ home: { kind: 'disk', root: folder }, regions: {} });
  await store.put('a/b', new Blob(['x']).stream());
  expect(await Bun.file(join(folder, 'objects/a/b')).text()).toBe('x');
});

test('links lead to the endpoints of all storages', () => {
  const home = { kind: 's3' as const, settings: s3('http://garage:3900') };
  expect(originsOf({ home, regions: { OC: s3(null) } })).toEqual([
    'http://garage:3900',
    'https://s3.eu-west-1.amazonaws.com',
  ]);
  expect(originsOf({ home: { kind: 'disk', root: '' }, regions: {} })).toEqual([]);
});

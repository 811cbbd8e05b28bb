import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore } from './conformance.ts';
import { openDiskStore } from './disk.ts';
import { createSpool } from './spooled-store.ts';
import { bytes, chunked, stream } from './testing/streams.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-spool-'));
const spoolFolder = join(folder, 'spool');
afterAll(() => rm(folder, { recursive: true }));

const disk = await openDiskStore({ root: join(folder, 'storage') });

describeObjectStore('a store with a spool', async () => ({
  store: (await createSpool({ folder: spoolFolder }))(disk),
  leftovers: async () => (await readdir(spoolFolder)).length,
  close: async () => {},
}));

test('clients that send slowly keep nobody else from storing', async () => {
  const spool = await createSpool({ folder: spoolFolder, concurrency: 1 });
  const store = spool(disk);
  const abort = new AbortController();
  const slow = Array.from({ length: 8 }, (_, index) => {
    const hasBegun = Promise.withResolvers<void>();
    const source = chunked((chunk) => {
      if (chunk === 0) return;
      hasBegun.resolve();
      return new Promise<void>(() => {});
    });
    const put = store.put(`slow/${index}`, source.body, { signal: abort.signal });
    return { hasBegun: hasBegun.promise, outcome: put.catch((error) => error.message) };
  });
  await Promise.all(slow.map(({ hasBegun }) => hasBegun));
  expect(await store.put('quick', stream(bytes(1000)))).toEqual({ size: 1000 });
  abort.abort(new Error('left'));
  expect(new Set(await Promise.all(slow.map(({ outcome }) => outcome)))).toEqual(new Set(['left']));
  expect(await readdir(spoolFolder)).toEqual([]);
});

test('one owner never has all places', async () => {
  const spool = await createSpool({ folder: spoolFolder, concurrency: 2 });
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  const store = spool({
    ...disk,
    async putFile(key, path) {
      if (key.startsWith('a/')) await blocked;
      return disk.putFile(key, path);
    },
  });
  const put = (key: string) => store.put(key, stream(bytes(1)), { owner: key.charAt(0) });
  const flood = ['a/1', 'a/2', 'a/3', 'a/4'].map(put);
  await put('b/1');
  release();
  await Promise.all(flood);
});

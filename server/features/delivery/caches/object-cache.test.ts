import { expect, test } from 'bun:test';
import type { ObjectStore, StoredObject } from '../../../platform/storage/port.ts';
import { ObjectCache } from './object-cache.ts';

const KEY = 'f/b/f/a/photo.webp';

/** A store of one text under one key, that counts how often it is asked. */
function storeOf(text: string) {
  const calls = { opens: 0 };
  const open = async (key: string): Promise<StoredObject | null> => {
    calls.opens += 1;
    if (key !== KEY) return null;
    return {
      size: text.length,
      modifiedAt: 0,
      body: (range) => new Blob([text.slice(range?.start, range?.end)]),
    };
  };
  return { calls, objects: { open } as unknown as ObjectStore };
}

test('many who ask at once wait for one opening, and later ones for none', async () => {
  const { calls, objects } = storeOf('text');
  const cache = new ObjectCache(objects);
  expect(cache.get(KEY)).toBeUndefined();
  const opened = await Promise.all(Array.from({ length: 20 }, () => cache.open(KEY)));
  expect(new Set(opened).size).toBe(1);
  expect(cache.get(KEY)).toBe(opened[0] as never);
  await cache.open(KEY);
  expect(calls).toEqual({ opens: 1 });
});

test('what is not there is asked for again, as it may come', async () => {
  const { calls, objects } = storeOf('text');
  const cache = new ObjectCache(objects);
  for (let i = 0; i < 2; i += 1) expect(await cache.open('f/none')).toBeUndefined();
  expect(calls.opens).toBe(2);
});

test('the tag is that of the key: equal after a move to another storage, and of no other key', async () => {
  const keys = [KEY, `WEUR/${KEY}`, KEY.replace('/a/', '/b/')];
  const object = { size: 1, modifiedAt: 0, body: () => new Blob(['x']) };
  const cache = new ObjectCache({ open: async () => object } as unknown as ObjectStore);
  const opened = await Promise.all(keys.map((key) => cache.open(key)));
  const [tag, moved, other] = opened.map((one) => one?.uncompressed.etag);
  expect(tag).toMatch(/^"\w+"$/);
  expect([moved === tag, other === tag]).toEqual([true, false]);
});

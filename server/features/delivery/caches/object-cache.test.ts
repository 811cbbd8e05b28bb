import { expect, test } from 'bun:test';
import type { Region } from '../../../contract/regions.ts';
import type { ObjectStore, StoredObject } from '../../../platform/storage/port.ts';
import { createObjectCache } from './object-cache.ts';

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

const subject = (region: Region | null) => ({
  file: {
    id: 'f',
    bucket_id: 'b',
    region,
    name: 'a.jpg',
    file_type: 'image' as const,
    content_type: 'image/webp',
    access: 'public' as const,
    entry: 'photo.webp',
  },
  name: 'photo.webp',
});

test('many who ask at once wait for one opening, and later ones for none', async () => {
  const { calls, objects } = storeOf('text');
  const cache = createObjectCache(objects);
  expect(cache.get(KEY)).toBeUndefined();
  const deliverables = await Promise.all(
    Array.from({ length: 20 }, () => cache.open(KEY, subject(null))),
  );
  expect(new Set(deliverables).size).toBe(1);
  expect(cache.get(KEY)).toBe(deliverables[0] as never);
  await cache.open(KEY, subject(null));
  expect(calls).toEqual({ opens: 1 });
});

test('what was last delivered of a file is found by its row, and by no other name or row', async () => {
  const { objects } = storeOf('text');
  const cache = createObjectCache(objects);
  const row = { prefix: 'f/b/f/a/' };
  expect(cache.getOf(row, 'photo.webp')).toBeUndefined();
  const deliverable = await cache.open(KEY, subject(null));
  for (let i = 0; i < 2; i += 1) expect(cache.getOf(row, 'photo.webp')).toBe(deliverable as never);
  expect(cache.getOf(row, 'other.webp')).toBeUndefined();
  expect(cache.getOf({ prefix: 'f/b/f/b/' }, 'photo.webp')).toBeUndefined();
  expect(cache.getOf({ prefix: null }, 'photo.webp')).toBeUndefined();
});

test('what is not there is asked for again, as it may come', async () => {
  const { calls, objects } = storeOf('text');
  const cache = createObjectCache(objects);
  for (let i = 0; i < 2; i += 1) expect(await cache.open('f/none', subject(null))).toBeUndefined();
  expect(calls.opens).toBe(2);
});

test('the tag is that of the key: equal after a move to another storage, and of no other key', async () => {
  const keys = [KEY, `WEUR/${KEY}`, KEY.replace('/a/', '/b/')];
  const object = { size: 1, modifiedAt: 0, body: () => new Blob(['x']) };
  const cache = createObjectCache({ open: async () => object } as unknown as ObjectStore);
  const opened = await Promise.all(keys.map((key) => cache.open(key, subject(null))));
  const [tag, moved, other] = opened.map((one) => one?.uncompressed.etag);
  expect(tag).toMatch(/^"\w+"$/);
  expect([moved === tag, other === tag]).toEqual([true, false]);
});

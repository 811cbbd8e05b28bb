import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { bytesOf, chunksOf, hashFirstChunk, newClientId } from './send-video.ts';

const chunk = new Uint8Array(VIDEO_CHUNK_BYTES).fill(7);
const expected = createHash('sha256').update(chunk).digest('hex');

const sized = (size: number) => ({ size }) as Blob;

test.each([
  [0, 1],
  [1, 1],
  [VIDEO_CHUNK_BYTES, 1],
  [VIDEO_CHUNK_BYTES + 1, 2],
  [10 * VIDEO_CHUNK_BYTES, 10],
])('%p bytes are %p chunks', (size, chunks) => {
  expect(chunksOf(sized(size))).toBe(chunks);
});

test('the last chunk counts with its own bytes', () => {
  const file = sized(2 * VIDEO_CHUNK_BYTES + 5);
  expect(bytesOf(file, [0, 2])).toBe(VIDEO_CHUNK_BYTES + 5);
  expect(bytesOf(file, [0, 1, 2])).toBe(file.size);
});

test('no two uploads have the same name', () => {
  const names = new Set(Array.from({ length: 100 }, newClientId));
  expect(names.size).toBe(100);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
});

test('what comes after the first chunk does not count', async () => {
  expect(await hashFirstChunk(new Blob([chunk, 'more']))).toBe(expected);
});

test('a page on plain http, which has no crypto.subtle, finds the same', async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: { subtle: undefined }, configurable: true });
  try {
    expect(await hashFirstChunk(new Blob([chunk, 'more']))).toBe(expected);
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
});

import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { hashFirstChunk } from './first-chunk.ts';

const chunk = new Uint8Array(VIDEO_CHUNK_BYTES).fill(7);
const expected = createHash('sha256').update(chunk).digest('hex');

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

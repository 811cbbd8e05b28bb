import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import {
  chunkBytes,
  countChunks,
  findMissing,
  hashFirstChunk,
  newClientId,
  sendMissing,
} from './send-video.ts';

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
  expect(countChunks(sized(size))).toBe(chunks);
});

test('the last chunk counts with its own bytes', () => {
  const file = sized(2 * VIDEO_CHUNK_BYTES + 5);
  expect(chunkBytes(file, [0, 2])).toBe(VIDEO_CHUNK_BYTES + 5);
  expect(chunkBytes(file, [0, 1, 2])).toBe(file.size);
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

/** A fake server that keeps chunks and returns 'file' when it has all of them. */
function serverOf(total: number, storedChunks: number[] = []) {
  const there = new Set(storedChunks);
  const sentChunks: number[] = [];
  let progressRequests = 0;
  return {
    there,
    sentChunks,
    asked: () => progressRequests,
    send: async (number: number) => {
      sentChunks.push(number);
      there.add(number);
      return there.size === total ? 'file' : null;
    },
    ask: async () => {
      progressRequests += 1;
      return [...there];
    },
  };
}

test('only what has not arrived is missing, in sequence', () => {
  expect(findMissing(5, [3, 0, 1])).toEqual([2, 4]);
  expect(findMissing(2, [0, 1])).toEqual([]);
  expect(findMissing(2, [])).toEqual([0, 1]);
});

test('all chunks go in sequence, and nothing is asked', async () => {
  const server = serverOf(3);
  expect(await sendMissing(3, [], server.send, server.ask)).toBe('file');
  expect(server.sentChunks).toEqual([0, 1, 2]);
  expect(server.asked()).toBe(0);
});

test('only the missing ones go, each told what is there without it', async () => {
  const server = serverOf(4, [0, 2]);
  const progress: number[][] = [];
  const send = (number: number, before: readonly number[]) => {
    progress.push([...before]);
    return server.send(number);
  };
  await sendMissing(4, [0, 2], send, server.ask);
  expect(server.sentChunks).toEqual([1, 3]);
  expect(progress).toEqual([
    [0, 2],
    [0, 2, 1],
  ]);
});

test('what the server has forgotten meanwhile goes again', async () => {
  const server = serverOf(4);
  const send = (number: number) => {
    if (number === 2 && server.sentChunks.length === 2) server.there.clear();
    return server.send(number);
  };
  expect(await sendMissing(4, [], send, server.ask)).toBe('file');
  expect(server.sentChunks).toEqual([0, 1, 2, 3, 0, 1]);
});

test('where all have arrived but nobody heard of the file, the last one goes again', async () => {
  const server = serverOf(3, [0, 1, 2]);
  expect(await sendMissing(3, [0, 1, 2], server.send, server.ask)).toBe('file');
  expect(server.sentChunks).toEqual([2]);
});

test('a server that never has them all is not asked for ever', async () => {
  const server = serverOf(3);
  const failure = await sendMissing(2, [], server.send, server.ask).catch((error) => error);
  expect(failure.message).toBe('An unexpected error occurred.');
  expect(server.sentChunks.length).toBeLessThan(6);
});

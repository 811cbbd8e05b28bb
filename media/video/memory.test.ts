import { expect, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { GIB, MIB } from '../../server/contract/limits.ts';
import { checkVideoMemory, encodingThreads } from './memory.ts';

const source = { width: 1920, height: 1080 };
const sizes = [source, { width: 1280, height: 720 }, { width: 426, height: 240 }];
const uhd = { width: 3840, height: 2160 };

test('1080p in the usual sizes fits on a machine of 1 GB, with one thread', () => {
  const memoryBytes = 640 * MIB;
  expect(() => checkVideoMemory({ source, sizes }, memoryBytes)).not.toThrow();
  expect(encodingThreads({ source, sizes }, memoryBytes)).toBe(1);
});

test('with enough memory each core gets a thread, up to eight', () => {
  const threads = Math.min(8, availableParallelism());
  expect(encodingThreads({ source, sizes }, 8 * GIB)).toBe(threads);
});

test('sizes that need more memory than a tool may take are refused with what to do', () => {
  const encode4k = () => checkVideoMemory({ source: uhd, sizes: [uhd] }, 640 * MIB);
  expect(encode4k).toThrow(/Select fewer or smaller resolutions\.$/);
  expect(() => checkVideoMemory({ source: uhd, sizes: [source] }, 640 * MIB)).not.toThrow();
});

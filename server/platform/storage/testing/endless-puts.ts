import { openDiskStore } from '../disk.ts';

/*
 * A program for disk.test.ts: puts small objects until it is killed, each into a folder of its own and then again, and
 * prints the number of those that are put.
 */

const SIZE = 10_000;
const PUTTERS = 8;

const store = await openDiskStore({ root: process.argv[2] ?? '' });
let puts = 0;

async function putAll(putter: number) {
  for (let number = 0; ; number += 1) {
    const key = `small/${putter}/${number}/object`;
    for (const byte of [1, 2])
      await store.put(key, new Blob([new Uint8Array(SIZE).fill(byte)]).stream());
    puts += 1;
    process.stdout.write(`${puts}\n`);
  }
}

await Promise.all(Array.from({ length: PUTTERS }, (_, putter) => putAll(putter)));

import { open } from 'node:fs/promises';
import { unlessMissing } from '../disk-files.ts';
import { punchHole } from './punch-hole.ts';
import { BLOCK_BYTES } from './shared-files.ts';
import { findSlice } from './slice.ts';

/**
 * Calls `remove`, which deletes an object, and gives the bytes that it has in a file with others back to the disk. Nobody may
 * be reading it, or its file have been composed with it: both would have zeros.
 */
export async function freeSlice(path: string, remove: () => Promise<void>): Promise<void> {
  const slice = await findSlice(path);
  const file = slice && (await unlessMissing(open(slice.path, 'r+')));
  try {
    await remove();
    if (file) await punchHole(file.fd, slice.start, wholeBlocks(slice.end));
  } finally {
    await file?.close();
  }
}

/** The next slot begins with a block. */
const wholeBlocks = (end: number) => Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES;

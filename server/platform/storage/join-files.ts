import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '../../contract/limits.ts';
import { notFound } from '../../errors.ts';
import { unlessMissing } from './disk-files.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { createIncrementalFsync, writeAll } from './write-stream.ts';

/** Two blocks are in memory. Each takes a turn of the event loop, so that smaller ones take longer. */
const BLOCK_BYTES = 2 * MIB;

/**
 * Writes the bytes of files one after the other into a new file, without streams, which would make a buffer for every
 * piece. Returns their number once they are on the disk. Throws AppError not-found where a file is missing, storage-full
 * where the reserve is used up, and what the file system fails with. A part of the file may remain then.
 */
export async function joinFiles(
  sources: string[],
  path: string,
  { reserve }: { reserve?: Pick<DiskReserve, 'require'> | undefined } = {},
): Promise<number> {
  const target = await open(path, 'wx', 0o600);
  const fsync = createIncrementalFsync(target);
  const blocks = [new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)];
  let writing = Promise.resolve();
  let size = 0;
  try {
    for await (const block of blocksOf(sources, blocks)) {
      await writing;
      fsync.advance(size);
      await reserve?.require();
      writing = writeAll(target, block);
      // A failure is thrown when it is waited for.
      writing.catch(() => {});
      size += block.byteLength;
    }
    await writing;
    await fsync.finish();
    return size;
  } finally {
    await writing.catch(() => {});
    await fsync.settle();
    await target.close();
  }
}

/** Yields the bytes of files, in each buffer in turn. */
async function* blocksOf(
  sources: string[],
  buffers: Uint8Array[],
): AsyncGenerator<Uint8Array, void> {
  let turn = 0;
  for (const source of sources) {
    const handle: FileHandle | null = await unlessMissing(open(source, 'r'));
    if (!handle) throw notFound('File');
    try {
      for (;;) {
        const buffer = buffers[turn % buffers.length] ?? new Uint8Array(BLOCK_BYTES);
        const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, null);
        if (bytesRead === 0) break;
        turn += 1;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }
}

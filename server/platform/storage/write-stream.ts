import { type FileHandle, open } from 'node:fs/promises';
import { formatBytes } from '../../contract/units.ts';
import { tooLarge } from '../../errors.ts';
import { reportFreedMemory } from './gc-pressure.ts';
import { createIncrementalFsync } from './incremental-fsync.ts';

export type WriteLimits = { maxBytes?: number; signal?: AbortSignal };

/**
 * Writes a stream into a new file; memory holds the chunk being written and the next.
 * Returns the bytes written once they are on the disk. Throws AppError too-large past
 * `maxBytes`, the signal's reason, or whatever the stream or the file system failed with;
 * then the stream is cancelled and a part of the file may be left.
 */
export async function writeStream(
  body: ReadableStream<Uint8Array>,
  path: string,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: WriteLimits = {},
): Promise<number> {
  const reader = body.getReader();
  const cancel = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  const onAbort = () => cancel(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  let handle: FileHandle | undefined;
  let writing = Promise.resolve();
  let early: ReturnType<typeof createIncrementalFsync> | undefined;
  try {
    handle = await open(path, 'wx', 0o600);
    early = createIncrementalFsync(handle);
    let size = 0;
    for (;;) {
      // Reading while writing takes a third less time. A write that fails ends it at once, though no byte comes.
      const [{ done, value }] = await Promise.all([reader.read(), writing]);
      // A cancelled reader reports the end of the stream: without this a part would pass for the whole.
      signal?.throwIfAborted();
      if (done) break;
      early.advance(size);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(`The file is larger than ${formatBytes(maxBytes)}.`);
      writing = writeAll(handle, value);
      reportFreedMemory(value.byteLength);
    }
    await early.finish();
    signal?.throwIfAborted();
    return size;
  } catch (error) {
    cancel(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await writing.catch(() => {});
    await early?.settle();
    await handle?.close();
  }
}

/** write(2) may take less than it was given, as it does before it reports a full disk. */
async function writeAll(handle: FileHandle, chunk: Uint8Array) {
  let written = 0;
  while (written < chunk.byteLength) {
    written += (await handle.write(chunk, written)).bytesWritten;
  }
}

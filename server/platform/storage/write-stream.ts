import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '../../contract/limits.ts';
import { formatBytes } from '../../contract/units.ts';
import { tooLarge } from '../../errors.ts';

const FSYNC_EVERY_BYTES = 2 * MIB;

/** A whole collection stops everything for some 30 ms: at most one for so many bytes. */
const GC_EVERY_BYTES = 32 * MIB;
/** A server that is this small, as with one upload at a time, needs none. */
const GC_MIN_RSS_BYTES = 150 * MIB;

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

/**
 * Brings a file onto the disk while it is still being written, one part at a time, so that little
 * is left to wait for at the end: a GiB is taken in two thirds of the time.
 */
export function createIncrementalFsync(handle: Pick<FileHandle, 'datasync' | 'sync'>) {
  let begun = 0;
  let running: Promise<void> | null = null;
  // The kernel reports a failed write-back to one fsync of a file only, and the last would succeed.
  let failure: { error: unknown } | null = null;

  return {
    /** Told how many bytes are written; returns at once. */
    advance(written: number): void {
      if (running || written - begun < FSYNC_EVERY_BYTES) return;
      begun = written;
      running = handle
        .datasync()
        .catch((error) => {
          failure = { error };
        })
        .finally(() => {
          running = null;
        });
    },

    /** Resolves when no sync is under way, whatever came of it: only then may the file be closed. */
    settle: (): Promise<void> => running ?? Promise.resolve(),

    /** Resolves when all is on the disk. Throws what any sync failed with. */
    async finish(): Promise<void> {
      await running;
      if (failure) throw failure.error;
      await handle.sync();
    },
  };
}

let bytesSinceGc = 0;

/**
 * To be told of bytes that came from a client and have been passed on. Their buffers lie outside the
 * collector's heap, which hardly grows, so it comes late: with ten uploads at once the process
 * held 230 MiB, of which 130 were in use.
 */
export function reportFreedMemory(bytes: number): void {
  bytesSinceGc += bytes;
  if (bytesSinceGc < GC_EVERY_BYTES) return;
  bytesSinceGc = 0;
  if (process.memoryUsage.rss() > GC_MIN_RSS_BYTES) Bun.gc(true);
}

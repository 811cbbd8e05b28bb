import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { KIB, MIB, SECOND } from '../../contract/limits.ts';
import { joinChunks, keepChunk } from '../../contract/streams.ts';
import { formatBytes } from '../../contract/units.ts';
import { tooLarge } from '../../errors.ts';
import { syncWritten } from '../durable-folders.ts';
import { freeBytes } from '../free-bytes.ts';
import type { DiskReserve } from './disk-reserve.ts';

/** A body that is no longer is opened, written and closed by one call of a thread instead of three. */
export const WHOLE_BYTES = 64 * KIB;

const FSYNC_EVERY_BYTES = 2 * MIB;
/** A hundred concurrent streams can take this many times a hundred from the reserve of the disk. */
const SPACE_CHECK_EVERY_BYTES = 4 * MIB;

/** A full garbage collection stops the process for some 30 ms, so it runs at most once for so many bytes. */
const GC_EVERY_BYTES = 32 * MIB;
/** Uploads that arrive fast must not stop the process more often than this. */
const GC_INTERVAL_MS = 2 * SECOND;
/** Only a process that has grown by so much since the last collection runs another one sooner. */
const GC_MAX_GROWTH_BYTES = 64 * MIB;
/** A smaller process, such as one with a single upload, needs no extra collection. */
const GC_MIN_RSS_BYTES = 150 * MIB;

export type WriteLimits = { maxBytes?: number; signal?: AbortSignal };

/** The bodies that are on the disk once they are written: all, those of more than WHOLE_BYTES, or none. */
export type Synced = 'all' | 'large' | 'none';

/** Where in an open file a stream is written, beside what others write there at the same time. */
export type Place = { handle: FileHandle; start: number };

/**
 * Writes a stream into a new file, or into a place of an open one; memory holds the chunk being written and the next
 * one. Returns the number of bytes once they are on the disk, or in the file where `synced` says that they need not be on
 * the disk yet. Throws AppError too-large past `maxBytes`, storage-full where the reserve is used up, the
 * signal's reason, or whatever the stream or the file system fails with. The stream is cancelled then, and
 * a part of the file may remain. What has been written is freed at once, so nobody else may need it; only bytes that
 * begin in the first 64 KiB are not.
 */
export async function writeStream(
  body: ReadableStream<Uint8Array>,
  target: string | Place,
  {
    maxBytes = Number.POSITIVE_INFINITY,
    signal,
    reserve,
    synced = 'all',
  }: WriteLimits & {
    reserve?: Pick<DiskReserve, 'require'> | undefined;
    synced?: Synced;
  } = {},
): Promise<number> {
  const reader = body.getReader();
  const cancel = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  const onAbort = () => cancel(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  const file = typeof target === 'string' ? new NewFile(target, synced) : new OpenFile(target);
  let writing = Promise.resolve();
  try {
    let size = 0;
    let spaceCheckAt = 0;
    for (;;) {
      // Reading while writing takes a third less time. A failed write ends the loop at once, even when no
      // more bytes arrive.
      const [{ done, value }] = await Promise.all([reader.read(), writing]);
      // A cancelled reader reports the end of the stream: without this, a part of the file would pass for
      // all of it.
      signal?.throwIfAborted();
      if (done) break;
      if (reserve && size >= spaceCheckAt) {
        await reserve.require();
        spaceCheckAt = size + SPACE_CHECK_EVERY_BYTES;
      }
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(`The file is larger than ${formatBytes(maxBytes)}.`);
      // The first bytes are kept: those who look at the type of a file have them too.
      const isFirst = size - value.byteLength < WHOLE_BYTES;
      writing = isFirst ? file.write(value) : file.write(value).then(() => freeBytes(value));
      if (size > WHOLE_BYTES) reportFreedMemory(value.byteLength);
    }
    await file.finish();
    signal?.throwIfAborted();
    return size;
  } catch (error) {
    cancel(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await writing.catch(() => {});
    await file.close();
  }
}

/** A new file. Its first bytes are kept in memory, and written by one call where no others follow. */
class NewFile {
  private readonly start: Uint8Array[] = [];
  private handle: FileHandle | undefined;
  private fsync: ReturnType<typeof createIncrementalFsync> | undefined;
  private size = 0;

  constructor(
    private readonly path: string,
    private readonly synced: Synced,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    const written = this.size;
    this.size += bytes.byteLength;
    if (!this.handle) keepChunk(this.start, bytes);
    if (this.size <= WHOLE_BYTES) return;
    this.handle ??= await open(this.path, 'wx', 0o600);
    if (this.synced !== 'none') this.fsync ??= createIncrementalFsync(this.handle);
    this.fsync?.advance(written);
    await writeAll(this.handle, this.start.length > 0 ? joinChunks(this.start.splice(0)) : bytes);
  }

  /** Resolves when everything is on the disk, or in the file where it need not be synced. */
  async finish(): Promise<void> {
    if (this.handle) return this.fsync?.finish();
    await writeFile(this.path, joinChunks(this.start), { flag: 'wx', mode: 0o600 });
    // The option `flush` of Bun ignores a sync that fails.
    if (this.synced === 'all') await syncWritten(this.path);
  }

  async close(): Promise<void> {
    await this.fsync?.settle();
    await this.handle?.close();
  }
}

/** A place in a file, which stays open. */
class OpenFile {
  private readonly fsync: ReturnType<typeof createIncrementalFsync>;
  private size = 0;

  constructor(private readonly place: Place) {
    this.fsync = createIncrementalFsync(place.handle);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { handle, start } = this.place;
    const written = this.size;
    this.size += bytes.byteLength;
    this.fsync.advance(written);
    await writeAll(handle, bytes, start + written);
  }

  finish(): Promise<void> {
    return this.fsync.finish();
  }

  close(): Promise<void> {
    return this.fsync.settle();
  }
}

/**
 * Writes all of a chunk, because write(2) can write less than it was given, and does so before it reports a
 * full disk.
 * @param position where in the file; null for behind what was written last
 */
async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number | null = null) {
  let written = 0;
  while (written < chunk.byteLength) {
    const at = position === null ? null : position + written;
    written += (await handle.write(chunk, written, chunk.byteLength - written, at)).bytesWritten;
  }
}

/**
 * Syncs a file while it is still being written, one part at a time, so that little is left to sync at the
 * end: a GiB takes two thirds of the time.
 */
export function createIncrementalFsync(handle: Pick<FileHandle, 'datasync' | 'sync'>) {
  let syncedBytes = 0;
  let running: Promise<void> | null = null;
  // The kernel reports a failed write-back to one fsync of a file only, so a later one would succeed.
  let failure: { error: unknown } | null = null;

  return {
    /** Starts a sync when enough bytes have been written since the last one; returns at once. */
    advance(written: number): void {
      if (running || written - syncedBytes < FSYNC_EVERY_BYTES) return;
      syncedBytes = written;
      running = handle
        .datasync()
        .catch((error) => {
          failure = { error };
        })
        .finally(() => {
          running = null;
        });
    },

    /** Resolves when no sync is running, whatever its outcome. The file must not be closed before. */
    settle: (): Promise<void> => running ?? Promise.resolve(),

    /** Resolves when everything is on the disk. Throws what any of the syncs failed with. */
    async finish(): Promise<void> {
      await running;
      if (failure) throw failure.error;
      await handle.sync();
    },
  };
}

/** The state after the last collection; `at` is in milliseconds of any clock. */
type LastGc = { at: number; rss: number };

/**
 * Whether to collect garbage.
 * @param now in milliseconds @param rss the memory of the process in bytes
 */
export function isGcDue(last: LastGc, now: number, rss: number): boolean {
  if (rss <= GC_MIN_RSS_BYTES) return false;
  return now - last.at >= GC_INTERVAL_MS || rss - last.rss >= GC_MAX_GROWTH_BYTES;
}

let bytesSinceCheck = 0;
let lastGc: LastGc = { at: Number.NEGATIVE_INFINITY, rss: 0 };

/**
 * Tells how many bytes of a client have been passed on and freed. Their buffers are outside the garbage
 * collector's heap, which hardly grows, so it collects too late by itself: with ten uploads at a time the
 * process held 230 MiB, of which 130 were in use. Many small bodies leave little behind: for them a collection stopped
 * the process for 30 to 50 ms of its own time and freed some 5 MiB.
 */
export function reportFreedMemory(bytes: number): void {
  bytesSinceCheck += bytes;
  if (bytesSinceCheck < GC_EVERY_BYTES) return;
  bytesSinceCheck = 0;
  if (!isGcDue(lastGc, performance.now(), process.memoryUsage.rss())) return;
  Bun.gc(true);
  lastGc = { at: performance.now(), rss: process.memoryUsage.rss() };
}

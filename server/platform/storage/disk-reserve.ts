import { statfs } from 'node:fs/promises';
import { GIB, SECOND } from '../../contract/limits.ts';
import { storageFull } from '../../errors.ts';

const CHECK_INTERVAL_MS = SECOND;

/**
 * A disk with so much room above what is required is not measured again for so long. No disk is written to faster, and
 * each small upload would wait for two calls of a thread.
 */
const AMPLE_BYTES = GIB;
const MEASURED_FOR_MS = SECOND / 10;

/**
 * Keeps a part of a disk free. On a full disk SQLite refuses every write, so nobody could log in, receive a
 * mail or delete a file. Therefore files stop growing before the disk is full, and the rest is for the
 * database, mails and logs.
 */
export class DiskReserve {
  private measured = { at: Number.NEGATIVE_INFINITY, free: 0 };

  /**
   * @param bytes how many bytes stay free
   * @param freeBytes measures how many bytes are free
   * @param checkIntervalMs how often guarded work is checked
   * @param now returns the time in milliseconds of any clock
   */
  constructor(
    readonly bytes: number,
    private readonly freeBytes: () => Promise<number>,
    private readonly checkIntervalMs: number = CHECK_INTERVAL_MS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws storage-full where less than the reserve would be left after writing `more` bytes. */
  require(more = 0): Promise<void> {
    return this.requireFree(this.bytes + more);
  }

  /**
   * Does work that writes files. Throws storage-full where the reserve is used up. Work that has started may
   * use half of it, because uploads must not be able to end the processing of earlier ones; then its
   * signal is aborted, and this throws storage-full.
   */
  async guard<Result>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    await this.require();
    const low = new AbortController();
    const check = () => this.requireFree(this.bytes / 2).catch((error) => low.abort(error));
    const timer = setInterval(check, this.checkIntervalMs);
    try {
      return await work(AbortSignal.any([signal, low.signal]));
    } catch (error) {
      low.signal.throwIfAborted();
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  private async requireFree(bytes: number): Promise<void> {
    const at = this.now();
    const isAmple = this.measured.free - bytes > AMPLE_BYTES;
    if (isAmple && at - this.measured.at < MEASURED_FOR_MS) return;
    this.measured = { at, free: await this.freeBytes() };
    if (this.measured.free < bytes) throw storageFull();
  }
}

/**
 * Returns the reserve of the disk that a folder is on. Some network file systems don't tell their size,
 * and then nothing is refused.
 */
export const reserveOnDisk = (folder: string, bytes: number): DiskReserve =>
  new DiskReserve(bytes, async () => {
    const { bavail, blocks, bsize } = await statfs(folder);
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  });

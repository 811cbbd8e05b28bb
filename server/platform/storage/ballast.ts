import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { MIB } from '../../contract/limits.ts';
import type { DiskReserve } from './disk-reserve.ts';

const BALLAST_BYTES = 8 * MIB;
/** The part of the reserve that the ballast can have, so that it stays small beside a small one. */
const RESERVE_SHARE = 4;
const BLOCK_BYTES = MIB;

/**
 * A file that only takes up space, and is deleted when the disk is full. Something else than Wharf can use up
 * the reserve of the disk; then SQLite could not even write down what is to be deleted. Deletions need no more
 * than this, and make room.
 */
export class Ballast {
  private readonly path: string;
  private readonly bytes: number;
  private readonly reserve: Pick<DiskReserve, 'require'>;

  constructor(path: string, reserve: Pick<DiskReserve, 'bytes' | 'require'>) {
    this.path = path;
    this.bytes = Math.min(BALLAST_BYTES, Math.floor(reserve.bytes / RESERVE_SHARE));
    this.reserve = reserve;
  }

  /** Writes the file, unless it is there, or would take from the reserve of the disk. */
  async fill(): Promise<void> {
    const { size } = await stat(this.path).catch(() => ({ size: 0 }));
    if (size === this.bytes) return;
    try {
      await this.reserve.require(this.bytes);
      await this.write();
    } catch {
      await rm(this.path, { force: true });
    }
  }

  /** Deletes the file, so that SQLite can write again. */
  release(): void {
    rmSync(this.path, { force: true });
  }

  /** Deletes the file if the disk of an existing folder is full, as SQLite could not even open its files. */
  releaseIfFull(folder: string): void {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < this.bytes) this.release();
  }

  private async write(): Promise<void> {
    // File systems that compress would store equal bytes in no space.
    const block = randomBytes(BLOCK_BYTES);
    const handle = await open(this.path, 'w', 0o600);
    try {
      for (let left = this.bytes; left > 0; left -= block.length)
        await handle.writeFile(block.subarray(0, left));
    } finally {
      await handle.close();
    }
  }
}

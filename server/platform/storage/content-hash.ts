import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '../../contract/limits.ts';

/** Fixed, as the hash depends on where the pieces end. */
const PIECE = MIB;

/**
 * 64 bits that name the bytes of a local file, read a piece at a time. XXH3 is no cryptographic
 * hash, and need not be one: who makes two files with the same hash has two URLs still.
 */
export async function contentHash(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, (await file.stat()).size)));
    let hash = 0n;
    for (;;) {
      const length = await fill(file, buffer);
      if (length === 0) return hash.toString(36);
      hash = Bun.hash.xxHash3(buffer.subarray(0, length), hash);
    }
  } finally {
    await file.close();
  }
}

/** A read may stop short of what was asked for. */
async function fill(file: FileHandle, buffer: Buffer): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

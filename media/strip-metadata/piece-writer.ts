import { closeSync, openSync, writeSync } from 'node:fs';
import { openRandomAccess, type RandomAccess, WINDOW_BYTES } from './random-access.ts';

/**
 * A piece of a cleaned file: a range of the original (from `start` up to but not including `end`), or new
 * bytes.
 */
export type Piece = { start: number; end: number } | { bytes: Uint8Array };

/**
 * Reads an image and yields the pieces to keep: its pixels, what is needed to show them as before (colour
 * profile, gamma, transparency, timing), and of all metadata only `orientation`, the EXIF value 1 to 8. It
 * yields null for each part that it drops or only walks over, so that the caller can count and interrupt
 * it. Throws a permanent MediaFailure where the structure is broken.
 */
export type Planner = (file: RandomAccess, orientation: number) => Iterable<Piece | null>;

/** Writes pieces of `from` into a new local file. */
export function writePieces(from: string, to: string, pieces: Iterable<Piece>): void {
  const writer = new PieceWriter(from, to);
  try {
    for (const piece of pieces) writer.write(piece);
    writer.flush();
  } finally {
    writer.close();
  }
}

/**
 * Writes pieces of a file into a new local file. Both are accessed 64 KiB at a time, because a system call
 * for each of a million pieces of two bytes would take minutes.
 */
export class PieceWriter {
  private readonly source: ReturnType<typeof openRandomAccess>;
  private readonly target: number;
  private readonly buffer = Buffer.allocUnsafe(WINDOW_BYTES);
  private filled = 0;

  constructor(from: string, to: string) {
    this.target = openSync(to, 'wx', 0o600);
    try {
      this.source = openRandomAccess(from);
    } catch (error) {
      closeSync(this.target);
      throw error;
    }
  }

  write(piece: Piece): void {
    if ('bytes' in piece) {
      this.append(piece.bytes);
      return;
    }
    for (let position = piece.start; position < piece.end; ) {
      const bytes = this.source.peek(position, 1).subarray(0, piece.end - position);
      if (bytes.length === 0) throw new Error('The file became shorter while it was read.');
      this.append(bytes);
      position += bytes.length;
    }
  }

  /** Writes what is still in memory. */
  flush(): void {
    for (let done = 0; done < this.filled; ) {
      done += writeSync(this.target, this.buffer, done, this.filled - done);
    }
    this.filled = 0;
  }

  close(): void {
    this.source.close();
    closeSync(this.target);
  }

  private append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.filled === this.buffer.length) this.flush();
      const part = bytes.subarray(done, done + this.buffer.length - this.filled);
      this.buffer.set(part, this.filled);
      this.filled += part.length;
      done += part.length;
    }
  }
}

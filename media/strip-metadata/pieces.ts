import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type MediaFailure, permanentFailure } from '../media-failure.ts';

const WINDOW = 64 * 1024;

/**
 * A piece of a cleaned file: a range of the original (from `start` up to but not including `end`), or new
 * bytes.
 */
export type Piece = { start: number; end: number } | { bytes: Uint8Array };

/**
 * Reads an image and yields the pieces to keep: its pixels, what is needed to show them as before (colour
 * profile, gamma, transparency, timing), and of all metadata only `orientation`, the EXIF value 1 to 8.
 * Throws a permanent MediaFailure where the structure is broken.
 */
export type Planner = (file: RandomAccess, orientation: number) => Iterable<Piece>;

/** A file that is read at any position without holding it in memory. Positions and lengths are bytes. */
export type RandomAccess = {
  size: number;
  /** Returns up to 64 KiB; fewer bytes than requested only at the end of the file. */
  read(start: number, length: number): Uint8Array;
};

export const damaged = (): MediaFailure => permanentFailure('The image is damaged or incomplete.');

/** Reads exactly `length` bytes. Throws where the file ends before them. */
export function exactly(file: RandomAccess, start: number, length: number): Buffer {
  const bytes = file.read(start, length);
  if (bytes.length !== length) throw damaged();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns `end`. Throws where a structure claims to reach past the end of the file. */
export function within(file: RandomAccess, end: number): number {
  if (end > file.size) throw damaged();
  return end;
}

/**
 * Opens a local file for random access. Neighbouring reads share a window of 64 KiB, so that walking the
 * 255-byte blocks of a GIF does not take a system call each. It is synchronous because awaiting every byte
 * would take more time than reading it. Call `close` at the end.
 */
export function openRandomAccess(path: string): RandomAccess & { close: () => void } {
  const fd = openSync(path, 'r');
  const { size } = fstatSync(fd);
  const window = new Uint8Array(WINDOW);
  let from = 0;
  let filled = 0;
  return {
    size,
    read(start, length) {
      if (start < from || Math.min(start + length, size) > from + filled) {
        from = start;
        filled = start < size ? readFully(fd, window, start) : 0;
      }
      return window.slice(start - from, Math.min(start - from + length, filled));
    },
    close: () => closeSync(fd),
  };
}

/** Writes pieces of `from` into a new local file. */
export function writePieces(from: string, to: string, pieces: Iterable<Piece>): void {
  const source = openSync(from, 'r');
  try {
    const target = openSync(to, 'wx', 0o600);
    try {
      for (const piece of pieces) {
        if ('bytes' in piece) writeFully(target, piece.bytes);
        else copyRange(source, target, piece.start, piece.end);
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

function copyRange(source: number, target: number, start: number, end: number): void {
  const buffer = new Uint8Array(Math.min(WINDOW, end - start));
  for (let position = start; position < end; ) {
    const part = buffer.subarray(0, Math.min(buffer.length, end - position));
    const got = readFully(source, part, position);
    if (got === 0) throw new Error('The file became shorter while it was read.');
    writeFully(target, part.subarray(0, got));
    position += got;
  }
}

function readFully(fd: number, into: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const got = readSync(fd, into, filled, into.length - filled, position + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done);
  }
}

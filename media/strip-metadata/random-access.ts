import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { MediaFailure, permanentFailure } from '../media-failure.ts';

/** The bytes that are loaded at once, which is also the most that one read returns. */
export const WINDOW_BYTES: number = 64 * 1024;

/** A file that is read at any position without holding it in memory. Positions and lengths are bytes. */
export type RandomAccess = {
  size: number;
  /** Returns a copy of up to 64 KiB; fewer bytes than requested only at the end of the file. */
  read(start: number, length: number): Uint8Array;
  /**
   * Returns everything that is loaded from `start` on, which is at least `length` bytes unless the file ends
   * before. The bytes are valid until the next call. A search that goes on where the last result ended
   * loads each byte once, however many results there are.
   */
  peek(start: number, length: number): Buffer;
};

/** Reads into a window from a position on, and returns how many bytes it got. */
type Load = (window: Uint8Array, position: number) => number;

/** Creates random access to `size` bytes that are loaded one window at a time. */
export function createRandomAccess(size: number, load: Load): RandomAccess {
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  let from = 0;
  let filled = 0;
  const peek = (start: number, length: number) => {
    if (start < from || Math.min(start + length, size) > from + filled) {
      from = start;
      filled = start < size ? load(window, start) : 0;
    }
    return window.subarray(start - from, filled);
  };
  return {
    size,
    peek,
    read: (start, length) => new Uint8Array(peek(start, length).subarray(0, length)),
  };
}

/**
 * Opens a local file for random access. It is synchronous because awaiting every byte would take more time
 * than reading it. Call `close` at the end.
 */
export function openRandomAccess(path: string): RandomAccess & { close: () => void } {
  const fd = openSync(path, 'r');
  const file = createRandomAccess(fstatSync(fd).size, (window, position) =>
    readFully(fd, window, position),
  );
  return { ...file, close: () => closeSync(fd) };
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

const DAMAGED = 'The image is damaged or incomplete.';
export const damaged = (cause?: unknown): MediaFailure => permanentFailure(DAMAGED, cause);
export const isDamaged = (error: unknown): boolean =>
  error instanceof MediaFailure && error.message === DAMAGED;

/**
 * Returns `length` bytes (up to 64 KiB), valid until the next access to the file. Throws where the file ends
 * before them.
 */
export function exactly(file: RandomAccess, start: number, length: number): Buffer {
  const bytes = file.peek(start, length);
  if (bytes.length < length) throw damaged();
  return bytes.subarray(0, length);
}

/** Returns `end`. Throws where a structure claims to reach past the end of the file. */
export function within(file: RandomAccess, end: number): number {
  if (end > file.size) throw damaged();
  return end;
}

import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { Piece, RandomAccess } from './piece.ts';

const WINDOW = 64 * 1024;

/**
 * Opens a local file for reading here and there. Neighbouring reads share one window of 64 KiB,
 * so walking a GIF's 255-byte blocks is no system call for each. Synchronous on purpose: a
 * planner that awaited every byte would spend its time waiting. Call `close` when done.
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

import { open } from 'node:fs/promises';
import { KIB } from '../../contract/limits.ts';
import { streamFrom } from '../../contract/streams.ts';

/** Bun's streams of files have pieces of 512 KiB, of which each reader has several: hundreds of MiB for 64 of them. */
const PIECE_BYTES = 128 * KIB;

/**
 * Returns the bytes of a file from `start` up to but not including `end`, in small pieces that are read as they are
 * taken. The file is opened with the first one, and may be deleted from then on. It must be read to its end or
 * cancelled: Bun ends the process where it finds an open file that nobody has any more.
 */
export const readPieces = (
  path: string,
  { start, end }: { start: number; end: number },
): ReadableStream<Uint8Array> => streamFrom(piecesOf(path, start, end));

/** A file that is shorter ends early. */
async function* piecesOf(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

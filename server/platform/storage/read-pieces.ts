import { type FileHandle, open } from 'node:fs/promises';
import { KIB } from '../../contract/limits.ts';
import { streamFrom } from '../../contract/streams.ts';

/** Bun's streams of files have pieces of 512 KiB, of which each reader has several: hundreds of MiB for 64 of them. */
const PIECE_BYTES = 128 * KIB;

type OpenFile = { handle: FileHandle | null };

/** Closes the files of streams that nobody has any more. Bun ends the process where it finds such an open file by itself. */
const streams = new FinalizationRegistry<OpenFile>(({ handle }) => {
  void handle?.close().catch(() => {});
});

/**
 * Returns the bytes of a file from `start` up to but not including `end`, in small pieces that are read as they are
 * taken. The file is opened with the first one, and may be deleted from then on. It is closed at the end, and when the
 * stream is cancelled; late where somebody forgets to.
 */
export function readPieces(
  path: string,
  range: { start: number; end: number },
): ReadableStream<Uint8Array> {
  const file: OpenFile = { handle: null };
  const stream = streamFrom(piecesOf(file, path, range));
  streams.register(stream, file);
  return stream;
}

/** A file that is shorter ends early. */
async function* piecesOf(
  file: OpenFile,
  path: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const handle = await open(path);
  file.handle = handle;
  try {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    file.handle = null;
    await handle.close();
  }
}

import { permanentFailure } from '../media-failure.ts';
import { planGif } from './gif.ts';
import { planJpeg } from './jpeg.ts';
import { type Piece, PieceWriter, type Planner } from './piece-writer.ts';
import { planPng } from './png.ts';
import { openRandomAccess, WINDOW_BYTES } from './random-access.ts';
import { runSteps } from './run-steps.ts';
import { planSvg } from './svg.ts';
import { planWebp } from './webp.ts';

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'svg';

const PLANNERS: Record<ImageFormat, Planner> = {
  jpeg: planJpeg,
  png: planPng,
  webp: planWebp,
  gif: planGif,
  svg: planSvg,
};

/**
 * Writes an image without its metadata to a new local file, with unchanged pixels. `orientation` (EXIF, 1
 * to 8) is the only metadata that is kept. Its time grows with the size of the file, whatever is in it, and
 * its memory stays below a few 64 KiB windows. Throws a permanent MediaFailure where the structure is broken
 * or has too many parts, or a deadline (AbortSignal.timeout) has passed, and the reason of another abort.
 */
export async function cleanImage(
  from: string,
  to: string,
  format: ImageFormat,
  orientation: number,
  signal: AbortSignal,
): Promise<void> {
  const file = openRandomAccess(from);
  try {
    const writer = new PieceWriter(from, to);
    try {
      const pieces = splitLongPieces(PLANNERS[format](file, orientation));
      await runSteps(pieces, (piece) => piece && writer.write(piece), signal);
      writer.flush();
    } finally {
      writer.close();
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw permanentFailure('The image took too long to process.', error);
    throw error;
  } finally {
    file.close();
  }
}

/** Splits ranges, so that a deadline can fire while megabytes of pixels are copied to a slow disk. */
function* splitLongPieces(pieces: Iterable<Piece | null>): Iterable<Piece | null> {
  for (const piece of pieces) {
    if (piece === null || 'bytes' in piece) yield piece;
    else {
      for (let { start } = piece; start < piece.end; start += WINDOW_BYTES)
        yield { start, end: Math.min(piece.end, start + WINDOW_BYTES) };
    }
  }
}

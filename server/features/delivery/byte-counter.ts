import { KIB, MIB } from '../../contract/limits.ts';

/** A callback that is told how many bytes of a body were sent. */
export type CountSentBytes = (bytes: number) => void;

/**
 * A body up to this size counts as sent in full, even if the client aborts. Only such a body has a
 * Content-Length, because Bun sends none for a stream.
 */
const MAX_WHOLE_BYTES = 8 * MIB;
/** Smaller pieces are sent more slowly, and larger ones need more memory for each client. */
const PIECE_BYTES = 512 * KIB;

/**
 * Returns a body whose bytes are counted while they are sent. Bun does not report how much of a
 * Blob was sent when a client disconnects, and it sends no Content-Length for a stream
 * (oven-sh/bun#10507). So a small body is counted as a whole, and a large one is sent in pieces.
 * For a client that disconnects, the count is too high by what the socket buffers hold, less than 8
 * MiB.
 */
export function countBytes(
  body: Blob | ReadableStream<Uint8Array>,
  size: number,
  countSent: CountSentBytes,
): Blob | ReadableStream<Uint8Array> {
  if (size > MAX_WHOLE_BYTES)
    return body instanceof Blob ? inPieces(body, countSent) : watched(body, countSent);
  countSent(size);
  return body;
}

function inPieces(blob: Blob, countSent: CountSentBytes): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const end = Math.min(blob.size, at + PIECE_BYTES);
        const piece = await blob.slice(at, end).bytes();
        // The object was deleted in the meantime. A missing rest must not look like the end of the
        // file.
        if (piece.byteLength !== end - at) throw new Error('the object ended early');
        at = end;
        countSent(piece.byteLength);
        controller.enqueue(piece);
        if (at >= blob.size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function watched(
  stream: ReadableStream<Uint8Array>,
  countSent: CountSentBytes,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        countSent(value.byteLength);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

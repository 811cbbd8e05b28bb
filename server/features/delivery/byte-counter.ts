import { KIB, MIB } from '../../contract/limits.ts';

/** Told how many bytes of a body have left. */
export type CountSentBytes = (bytes: number) => void;

/**
 * Bodies up to this size count as sent in full even if the client aborts. Only such a body has a
 * content-length, as Bun sends none for a stream.
 */
const MAX_WHOLE_BYTES = 8 * MIB;
/** Smaller pieces send more slowly, larger ones hold more memory for each client. */
const PIECE_BYTES = 512 * KIB;

/**
 * A body whose bytes are counted as they leave. Bun does not say how much of a body of its own was
 * sent when a client goes away, and leaves the length of a stream out of the headers
 * (oven-sh/bun#10507): so what is small is counted whole, and the rest goes out piece by piece. A
 * client that goes away is then counted too far by what the sockets hold, below 8 MiB either way.
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
        // The object was removed meanwhile: what is missing must not look like the end.
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

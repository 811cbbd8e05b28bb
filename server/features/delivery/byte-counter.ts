import { KIB, MIB } from '../../contract/limits.ts';
import { streamFrom, tapStream } from '../../contract/streams.ts';
import { type ConnectionServer, findConnection } from '../../platform/tcp/connection.ts';
import { meterBody } from './sent-meter.ts';

/** A callback that is told how many bytes of a body were sent. */
export type CountSentBytes = (bytes: number) => void;

/**
 * A body up to this size counts as sent in full, even if the client aborts: the send buffer of a
 * socket, 4 MiB on Linux, may take more at once. It never becomes a stream, for which Bun sends no
 * Content-Length (oven-sh/bun#10507).
 */
export const MAX_WHOLE_BYTES = MIB;
/**
 * The first piece of a larger body is small, and each is twice as large as the one before. So a
 * client that aborts at the first bytes makes little leave. Pieces that stay small are sent more
 * slowly, and pieces above the maximum need more memory for each client.
 */
const FIRST_PIECE_BYTES = 64 * KIB;
const MAX_PIECE_BYTES = 512 * KIB;

/**
 * Returns a body whose bytes are counted while they are sent. Bun does not report how much of a Blob was
 * sent when a client disconnects. So a small body is counted as a whole, and a large Blob by what the
 * kernel knows of the connection. A stream is counted piece by piece, as is a Blob where the connection is
 * not found: the next piece is read when the socket has taken the last. For a client that disconnects, that
 * count is too high by what the socket's buffers hold and by one piece.
 */
export function countBody(
  body: Blob | ReadableStream<Uint8Array>,
  size: number,
  countSent: CountSentBytes,
  { request, server }: { request: Request; server: ConnectionServer | undefined },
): Blob | ReadableStream<Uint8Array> {
  if (body instanceof Blob && size > MAX_WHOLE_BYTES && server) {
    const connection = findConnection(request, server);
    if (connection) {
      meterBody(connection, size, countSent, request.signal);
      return body;
    }
  }
  return countBytes(body, size, countSent);
}

/** Returns a body whose bytes are counted when they are handed to the socket. */
export function countBytes(
  body: Blob | ReadableStream<Uint8Array>,
  size: number,
  countSent: CountSentBytes,
): Blob | ReadableStream<Uint8Array> {
  if (size > MAX_WHOLE_BYTES) {
    return body instanceof Blob
      ? streamFrom(inPieces(body, countSent))
      : tapStream(body, { onPiece: (bytes) => countSent(bytes.byteLength) });
  }
  countSent(size);
  return body;
}

async function* inPieces(blob: Blob, countSent: CountSentBytes): AsyncGenerator<Uint8Array> {
  let pieceBytes = FIRST_PIECE_BYTES;
  for (let at = 0; at < blob.size; ) {
    const end = Math.min(blob.size, at + pieceBytes);
    const piece = await blob.slice(at, end).bytes();
    // The object was deleted in the meantime. A missing rest must not look like the end of the file.
    if (piece.byteLength !== end - at) throw new Error('the object ended early');
    at = end;
    pieceBytes = Math.min(MAX_PIECE_BYTES, 2 * pieceBytes);
    countSent(piece.byteLength);
    yield piece;
  }
}

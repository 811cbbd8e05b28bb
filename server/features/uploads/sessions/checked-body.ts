import { tapStream } from '../../../contract/streams.ts';

/**
 * Passes a body on, and fails with what `check` throws.
 * @param check called with the bytes that have arrived so far, before their last piece is passed on
 */
export function checkedBody(
  body: ReadableStream<Uint8Array>,
  check: (arrived: number) => void,
): ReadableStream<Uint8Array> {
  let arrived = 0;
  return tapStream(body, {
    onPiece(bytes) {
      arrived += bytes.byteLength;
      check(arrived);
    },
  });
}

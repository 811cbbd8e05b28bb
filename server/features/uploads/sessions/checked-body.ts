/**
 * Passes a body on, and fails with what `check` throws.
 * @param check called with the bytes that have arrived so far, before their last piece is passed on
 */
export function checkedBody(
  body: ReadableStream<Uint8Array>,
  check: (arrived: number) => void,
): ReadableStream<Uint8Array> {
  let arrived = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        arrived += bytes.byteLength;
        check(arrived);
        controller.enqueue(bytes);
      },
    }),
  );
}

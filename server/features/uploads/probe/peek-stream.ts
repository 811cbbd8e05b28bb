/**
 * Reads the first `most` bytes of a body, or all of a shorter one, and gives them back with
 * the whole body as a stream, those bytes included.
 */
export async function peekStream(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ head: Uint8Array; whole: ReadableStream<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let size = 0;
  while (size < most) {
    const next = await source.next();
    if (next.done) break;
    seen.push(next.value);
    size += next.value.byteLength;
  }
  const head = Buffer.concat(seen).subarray(0, most);
  const whole = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const again = seen.shift();
        if (again) return controller.enqueue(again);
        const next = await source.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await source.return?.();
      },
    },
    // Nothing is read ahead of whoever reads this, who may never come.
    { highWaterMark: 0 },
  );
  return { head, whole };
}

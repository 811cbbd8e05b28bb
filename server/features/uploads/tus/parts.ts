import { MIB } from '../../../contract/limits.ts';

/** How much one object holds of an upload: what a crash in the middle of a request can cost. */
export const PART_BYTES = 64 * MIB;

export type Part = {
  body: ReadableStream<Uint8Array>;
  /**
   * What broke the source off inside this part; the bytes before it are in the body all the same.
   */
  failure: () => unknown;
};

/**
 * Cuts a source into parts of `maxBytes` bytes or a little more. A source that breaks off ends its
 * last part early instead of failing it, so that what has arrived is kept.
 */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number = PART_BYTES,
): AsyncGenerator<Part> {
  const chunks = source[Symbol.asyncIterator]();
  let failure: unknown;
  const next = async () => {
    try {
      const result = await chunks.next();
      return result.done ? null : result.value;
    } catch (error) {
      failure = error;
      return null;
    }
  };
  let first = await next();
  while (first) {
    let waiting: Uint8Array | null = first;
    let size = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = waiting ?? (size < maxBytes ? await next() : null);
          waiting = null;
          if (!chunk) return controller.close();
          size += chunk.byteLength;
          controller.enqueue(chunk);
        },
      },
      { highWaterMark: 0 },
    );
    yield { body, failure: () => failure };
    if (failure) return;
    first = await next();
  }
  if (failure) throw failure;
}

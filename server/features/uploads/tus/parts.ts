import { MIB } from '../../../contract/limits.ts';

/** The bytes of one stored part. A crash in the middle of a request loses at most this much. */
export const PART_BYTES = 64 * MIB;

export type Part = {
  body: ReadableStream<Uint8Array>;
  /**
   * Returns the error that ended the source in this part. The body has the bytes before the error.
   */
  failure: () => unknown;
};

/**
 * Splits a source into parts of `maxBytes` bytes or slightly more. A source that fails ends its
 * last part early, so that what has arrived is stored.
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

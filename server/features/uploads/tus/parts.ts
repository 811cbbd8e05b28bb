import { MIB } from '../../../contract/limits.ts';
import { invalid } from '../../../errors.ts';

/** The bytes of one stored part. A crash in the middle of a request loses at most this much. */
export const PART_BYTES = 64 * MIB;

/** Each part is an object and a row, so that many small requests would cost more than their bytes. */
export const MIN_PART_BYTES = 4 * MIB;
const MAX_SMALL_PARTS = 1000;

/**
 * Throws invalid where an upload may not have another part below `MIN_PART_BYTES`: it has a thousand, and as many as
 * its bytes would be in parts of that size.
 * @param upload.parts how many parts it has
 */
export function requirePartSize({ parts, received }: { parts: number; received: number }): void {
  if (parts < MAX_SMALL_PARTS + Math.floor(received / MIN_PART_BYTES)) return;
  throw invalid('This upload was sent in too many small requests. Send at least 4 MiB with each.');
}

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

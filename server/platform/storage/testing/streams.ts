import type { ObjectBytes } from '../port.ts';

/** Returns `length` bytes of a pattern that differs by seed. */
export const bytes = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) + seed) & 0xff);
export const stream = (data: Uint8Array) => new Blob([new Uint8Array(data)]).stream();
export const read = async (object: ObjectBytes | null, range?: { start: number; end: number }) =>
  object && new Uint8Array(await new Response(object.body(range)).arrayBuffer());

/**
 * Returns a stream of 64 KiB chunks that calls `before` ahead of each chunk, and records whether it was
 * cancelled.
 */
export function chunked(before: (chunk: number) => void | Promise<void>) {
  let cancelled = false;
  let chunk = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await before(chunk);
        chunk += 1;
        if (!cancelled) controller.enqueue(bytes(64 * 1024));
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, wasCancelled: () => cancelled };
}

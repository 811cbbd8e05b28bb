import { MIB } from '../../contract/limits.ts';

/** Bun sends no content-length for a stream, and a player may need that of a small range. */
const MAX_WHOLE_BYTES = MIB;

/**
 * A body that comes from another machine, once it has really begun to come: until then its failure is
 * an answer, and afterwards only a connection that breaks. What is small has come whole.
 * Rejects with what the stream fails with.
 */
export async function startStream(
  stream: ReadableStream<Uint8Array>,
  size: number,
): Promise<Blob | ReadableStream<Uint8Array>> {
  if (size <= MAX_WHOLE_BYTES) return new Blob([await new Response(stream).arrayBuffer()]);
  const reader = stream.getReader();
  let first: Uint8Array | undefined = (await reader.read()).value;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = first ?? (await reader.read()).value;
        first = undefined;
        if (bytes) controller.enqueue(bytes);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

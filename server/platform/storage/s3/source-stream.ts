import { formatBytes } from '../../../contract/units.ts';
import { tooLarge } from '../../../errors.ts';
import { reportFreedMemory } from '../gc-pressure.ts';
import type { WriteLimits } from '../write-stream.ts';

/**
 * The bytes that are to be stored, read ahead by up to `ahead` bytes while earlier ones are sent.
 * `failure` is what they broke off with: the client's, the signal's or ours, never the server's.
 */
export function openSource(
  body: ReadableStream<Uint8Array>,
  ahead: number,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: WriteLimits,
) {
  const reader = body.getReader();
  let size = 0;
  let failure: { error: unknown } | null = null;

  const stop = (error: unknown) => {
    failure ??= { error };
    void reader.cancel(error).catch(() => {});
  };
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();

  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await reader.read();
    // A cancelled reader reports the end of the stream: without this a part would pass for the whole.
    if (failure) throw failure.error;
    if (done) return null;
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge(`The file is larger than ${formatBytes(maxBytes)}.`);
    reportFreedMemory(value.byteLength);
    return value;
  };

  return {
    size: () => size,
    failure: () => failure,
    /** Reads no more, and lets the client know. */
    stop,
    /** To be called when all is done. */
    close: () => signal?.removeEventListener('abort', onAbort),
    stream: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const bytes = await next();
            if (bytes) controller.enqueue(bytes);
            else controller.close();
          } catch (error) {
            stop(error);
            throw failure?.error;
          }
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: ahead }),
    ),
  };
}

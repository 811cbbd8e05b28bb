import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MIB } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/units.ts';
import { tooLarge } from '../../../errors.ts';
import { reportFreedMemory, type WriteLimits } from '../write-stream.ts';
import type { S3Bucket } from './client.ts';
import { translateErrors } from './errors.ts';

/** The least that S3 takes for any but the last part, and what one upload holds about three times. */
const PART = 5 * MIB;
const MAX_PARTS = 10_000;

/**
 * Stores a stream: up to a part of it at once, more in parts, one being sent while the next
 * arrives. `expected` bytes, where they are known, make parts larger than usual where there would
 * be too many. Throws as `ObjectStore.put` does, and then no open multipart is left unless the
 * server went away; `abandoned.ts` has those.
 */
export async function upload(
  { writing, reading, name }: S3Bucket,
  key: string,
  body: ReadableStream<Uint8Array>,
  { expected = 0, ...limits }: WriteLimits & { expected?: number } = {},
): Promise<{ size: number }> {
  const partSize = Math.max(PART, Math.ceil(expected / MAX_PARTS));
  const source = openSource(body, partSize, limits);
  const params = { Bucket: name, Key: key };
  try {
    // Two parts at a time would make a failed one wait for the bytes of the next.
    const work = { client: writing, partSize, queueSize: 1 };
    await new Upload({ ...work, params: { ...params, Body: source.stream } }).done();
  } catch (error) {
    const failure = source.failure();
    source.stop(error);
    if (failure) throw failure.error;
    // The answer to completing it was lost, and asking again found nothing left to complete.
    const isThere =
      (error as Error)?.name === 'NoSuchUpload' &&
      (await reading.send(new HeadObjectCommand(params)).catch(() => null));
    if (!isThere || isThere.ContentLength !== source.size()) throw translateErrors(error);
  } finally {
    source.close();
  }
  return { size: source.size() };
}

/**
 * The bytes that are to be stored, read ahead by up to `ahead` bytes while earlier ones are sent.
 * `failure` is what they broke off with: the client's, the signal's or ours, never the server's.
 */
function openSource(
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

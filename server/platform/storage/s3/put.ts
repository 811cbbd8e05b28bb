import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MIB } from '../../../contract/limits.ts';
import { formatBytes } from '../../../contract/units.ts';
import { tooLarge } from '../../../errors.ts';
import { reportFreedMemory, WHOLE_BYTES, type WriteLimits } from '../write-stream.ts';
import type { S3Bucket } from './client.ts';
import { translateErrors } from './errors.ts';

/** S3 accepts no smaller part except the last one, and an upload holds about three parts in memory. */
export const MIN_PART_BYTES = 5 * MIB;
export const MAX_PARTS = 10_000;

/**
 * Stores a stream: up to one part in a single request, more in parts, one of which is sent while the next
 * one arrives. Where the size is known in advance (`expected`), parts are larger if there would be too
 * many. Throws as `ObjectStore.put` does. No open multipart upload is left then unless the server was
 * unavailable; `listAbandonedMultiparts` finds those.
 */
export async function upload(
  bucket: S3Bucket,
  key: string,
  body: ReadableStream<Uint8Array>,
  { expected = 0, ...limits }: WriteLimits & { expected?: number } = {},
): Promise<{ size: number }> {
  const partSize = Math.max(MIN_PART_BYTES, Math.ceil(expected / MAX_PARTS));
  const source = openSource(body, partSize, limits);
  const params = { Bucket: bucket.name, Key: key };
  try {
    // With two parts at a time a failed one would wait for the bytes of the next.
    const work = { client: bucket.writing, partSize, queueSize: 1 };
    await new Upload({ ...work, params: { ...params, Body: source.stream } }).done();
  } catch (error) {
    const failure = source.failure();
    source.stop(error);
    if (failure) throw failure.error;
    // The response to completing the upload was lost, and the retry found nothing left to complete.
    if (!(await isStored(bucket, key, source.size(), error))) throw translateErrors(error);
  } finally {
    source.close();
  }
  return { size: source.size() };
}

/**
 * Whether an object was stored although completing its multipart upload failed, because the upload is no
 * longer there and an object of that size is.
 */
export async function isStored(
  { reading, name }: S3Bucket,
  key: string,
  size: number,
  error: unknown,
): Promise<boolean> {
  if ((error as Error)?.name !== 'NoSuchUpload') return false;
  const command = new HeadObjectCommand({ Bucket: name, Key: key });
  const head = await reading.send(command).catch(() => null);
  return head?.ContentLength === size;
}

/**
 * Reads the bytes to be stored, up to `ahead` bytes ahead while earlier ones are sent. `failure` returns
 * why reading ended early: an error of the client, of the signal or our own, never one of the server.
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
    // A cancelled reader reports the end of the stream: without this, a part of the file would pass for all
    // of it.
    if (failure) throw failure.error;
    if (done) return null;
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge(`The file is larger than ${formatBytes(maxBytes)}.`);
    if (size > WHOLE_BYTES) reportFreedMemory(value.byteLength);
    return value;
  };

  return {
    size: () => size,
    failure: () => failure,
    /** Stops reading and cancels the client's stream. */
    stop,
    /** Must be called at the end. */
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

import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { MIB } from '../../../contract/limits.ts';
import type { WriteLimits } from '../write-stream.ts';
import type { S3Bucket } from './client.ts';
import { translateErrors } from './errors.ts';
import { openSource } from './source-stream.ts';

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

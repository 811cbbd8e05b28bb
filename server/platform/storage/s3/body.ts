import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { SECOND } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import type { S3Bucket } from './client.ts';
import { isMissing, isTransient, translateErrors } from './errors.ts';

/** In a row without a byte between them. */
const MAX_FAILURES = 4;
const FIRST_WAIT = SECOND / 4;

/** Ended by itself, and yet not all of it has come. */
class EndedEarly extends Error {
  override name = 'EndedEarly';
  readonly code = 'ECONNRESET';
}

/**
 * The bytes of an object from `start` up to, not including, `end`, asked for with the first read.
 * Where the connection breaks it goes on from there, so that a server that is restarted
 * costs a pause. Fails with AppError not-found where the object is gone.
 */
export function bodyOf(
  { reading, name }: S3Bucket,
  object: { key: string; size: number; etag: string },
  { start, end }: { start: number; end: number },
): ReadableStream<Uint8Array> {
  let at = start;
  let failures = 0;
  let body: Readable | null = null;
  let chunks: AsyncIterator<Uint8Array> | null = null;
  const aborter = new AbortController();

  const begin = async () => {
    const isWhole = at === 0 && end === object.size;
    const command = new GetObjectCommand({
      Bucket: name,
      Key: object.key,
      ...(!isWhole && { Range: `bytes=${at}-${end - 1}` }),
      // Two objects that were put under one key must not be mixed.
      ...(at > start && { IfMatch: object.etag }),
    });
    const answer = await reading.send(command, { abortSignal: aborter.signal });
    body = answer.Body as Readable;
    return body[Symbol.asyncIterator]();
  };

  const next = async (): Promise<Uint8Array> => {
    chunks ??= await begin();
    const { done, value } = await chunks.next();
    if (done) throw new EndedEarly('the object ended early');
    return value;
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (at < end) {
          try {
            const bytes = await next();
            at += bytes.byteLength;
            failures = 0;
            return controller.enqueue(bytes);
          } catch (error) {
            body?.destroy();
            chunks = null;
            failures += 1;
            if (aborter.signal.aborted) return;
            if (isMissing(error)) throw notFound('File');
            if (!isTransient(error) || failures > MAX_FAILURES) throw translateErrors(error);
            await Bun.sleep(FIRST_WAIT * 2 ** failures);
          }
        }
        controller.close();
      },
      cancel() {
        aborter.abort();
        body?.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

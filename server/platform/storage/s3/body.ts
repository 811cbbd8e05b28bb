import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { SECOND } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import type { S3Bucket } from './client.ts';
import { isMissing, isTransient, translateErrors } from './errors.ts';

/** Failures in a row without a byte in between. */
const MAX_FAILURES = 4;
const INITIAL_RETRY_DELAY_MS = SECOND / 4;

/** The response ended before all of its bytes arrived. */
class TruncatedBodyError extends Error {
  override name = 'TruncatedBodyError';
  readonly code = 'ECONNRESET';
}

/** The ETag is null until the first response has told it. */
type ObjectVersion = { key: string; size: number; etag: string | null };
type ByteRange = { start: number; end: number };

/**
 * Returns the bytes of an object from `start` up to but not including `end`; the first read sends the
 * request. Where the connection breaks, the stream resumes from there, so that a restart of the server only
 * costs time. Fails with AppError not-found where the object is gone.
 */
export function bodyOf(
  bucket: S3Bucket,
  object: ObjectVersion,
  range: ByteRange,
): ReadableStream<Uint8Array> {
  const source = new ResumingSource(bucket, object, range);
  return new ReadableStream<Uint8Array>(
    { pull: (controller) => source.pull(controller), cancel: () => source.cancel() },
    { highWaterMark: 0 },
  );
}

/** Reads a range of an object, and requests the rest where a connection breaks. */
class ResumingSource {
  private at: number;
  private failures = 0;
  private etag: string | null;
  private body: Readable | null = null;
  private chunks: AsyncIterator<Uint8Array> | null = null;
  private readonly aborter = new AbortController();

  constructor(
    private readonly bucket: S3Bucket,
    private readonly object: ObjectVersion,
    private readonly range: ByteRange,
  ) {
    this.at = range.start;
    this.etag = object.etag;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.at < this.range.end) {
      try {
        const bytes = await this.next();
        this.at += bytes.byteLength;
        this.failures = 0;
        return controller.enqueue(bytes);
      } catch (error) {
        this.body?.destroy();
        this.chunks = null;
        this.failures += 1;
        if (this.aborter.signal.aborted) return;
        if (isMissing(error)) throw notFound('File');
        if (!isTransient(error) || this.failures > MAX_FAILURES) throw translateErrors(error);
        await Bun.sleep(INITIAL_RETRY_DELAY_MS * 2 ** this.failures);
      }
    }
    controller.close();
  }

  cancel(): void {
    this.aborter.abort();
    this.body?.destroy();
  }

  private async next(): Promise<Uint8Array> {
    this.chunks ??= await this.request();
    const { done, value } = await this.chunks.next();
    if (done) throw new TruncatedBodyError('the object ended early');
    return value;
  }

  private async request(): Promise<AsyncIterator<Uint8Array>> {
    const { start, end } = this.range;
    const isEntireObject = this.at === 0 && end === this.object.size;
    const command = new GetObjectCommand({
      Bucket: this.bucket.name,
      Key: this.object.key,
      ...(!isEntireObject && { Range: `bytes=${this.at}-${end - 1}` }),
      // Two objects that were put under one key must not be mixed.
      ...(this.at > start && this.etag !== null && { IfMatch: this.etag }),
    });
    const { signal } = this.aborter;
    const output = await this.bucket.reading.send(command, { abortSignal: signal });
    this.etag ??= output.ETag ?? null;
    this.body = output.Body as Readable;
    return this.body[Symbol.asyncIterator]();
  }
}

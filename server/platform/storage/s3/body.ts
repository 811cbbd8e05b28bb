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

type ObjectVersion = { key: string; size: number; etag: string };
type ByteRange = { start: number; end: number };

/**
 * The bytes of an object from `start` up to, not including, `end`, asked for with the first read.
 * Where the connection breaks it goes on from there, so that a server that is restarted
 * costs a pause. Fails with AppError not-found where the object is gone.
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

/** Reads a range of an object, and asks for the rest where a connection breaks. */
class ResumingSource {
  private at: number;
  private failures = 0;
  private body: Readable | null = null;
  private chunks: AsyncIterator<Uint8Array> | null = null;
  private readonly aborter = new AbortController();

  constructor(
    private readonly bucket: S3Bucket,
    private readonly object: ObjectVersion,
    private readonly range: ByteRange,
  ) {
    this.at = range.start;
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
        await Bun.sleep(FIRST_WAIT * 2 ** this.failures);
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
    if (done) throw new EndedEarly('the object ended early');
    return value;
  }

  private async request(): Promise<AsyncIterator<Uint8Array>> {
    const { start, end } = this.range;
    const isWhole = this.at === 0 && end === this.object.size;
    const command = new GetObjectCommand({
      Bucket: this.bucket.name,
      Key: this.object.key,
      ...(!isWhole && { Range: `bytes=${this.at}-${end - 1}` }),
      // Two objects that were put under one key must not be mixed.
      ...(this.at > start && { IfMatch: this.object.etag }),
    });
    const { signal } = this.aborter;
    const answer = await this.bucket.reading.send(command, { abortSignal: signal });
    this.body = answer.Body as Readable;
    return this.body[Symbol.asyncIterator]();
  }
}

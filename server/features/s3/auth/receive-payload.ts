import { setImmediate } from 'node:timers/promises';
import { KIB, MIB, SECOND } from '../../../contract/limits.ts';
import type { Checksum } from '../checksums/algorithms.ts';
import { BodyVerifier } from '../checksums/body-verifier.ts';
import {
  checksumHeader,
  type DeclaredChecksums,
  parseChecksum,
  readDeclaredChecksums,
} from '../checksums/declared-checksums.ts';
import { S3Error } from '../errors.ts';
import { AwsChunkedDecoder } from './aws-chunked.ts';
import { malformedTrailer } from './chunk-line.ts';
import { isAwsChunked } from './content-encoding.ts';
import type { Payload, ReceivedPayload, S3Caller } from './types.ts';

/** A checksum that is computed in JavaScript takes a millisecond or two for so many bytes. */
const SLICE_BYTES = 64 * KIB;
/** The others take half a millisecond. With slices of 64 KiB, an upload costs a tenth more of the processor. */
const NATIVE_SLICE_BYTES = 256 * KIB;
/** Bytes that have arrived already would be taken without a turn of the event loop. */
const TURN_BYTES = MIB;
const SIZE = /^\d{1,15}$/;

/** An upload of hours must end soon after its key was deleted or its account banned. */
const CHECK_INTERVAL_MS = 4 * SECOND;

/** Who sends the body, and how. */
type Sender = Pick<Extract<S3Caller, { kind: 'key' }>, 'payload' | 'recheck'>;

type Options = {
  /** Whether the checksum in the headers is of an object instead, as in CompleteMultipartUpload. */
  hasChecksumOfObject?: boolean;
  checkIntervalMs?: number;
};

/**
 * Returns a body without its framing, which is verified while it is read. Its declared size is known before.
 * @throws S3Error for headers that are malformed or missing
 */
export function receivePayload(
  sender: Sender,
  headers: Headers,
  body: AsyncIterable<Uint8Array> | null,
  { hasChecksumOfObject = false, checkIntervalMs = CHECK_INTERVAL_MS }: Options = {},
): ReceivedPayload {
  const { payload } = sender;
  const size = readSize(payload, headers);
  const { md5, ...declared } = readDeclaredChecksums(
    hasChecksumOfObject ? withoutChecksums(headers) : headers,
  );
  if (declared.trailers.length > 0 && !(payload.mode === 'chunked' && payload.hasTrailer)) {
    throw new S3Error('InvalidRequest', 'The header x-amz-trailer needs a payload with a trailer.');
  }
  const receiver = new Receiver(sender, { md5, ...declared }, size, checkIntervalMs);
  return { body: receiver.receive(body), size, checksum: () => receiver.checksum };
}

/** Returns headers as far as they are about the body itself. */
function withoutChecksums(headers: Headers): Headers {
  const others = new Headers(headers);
  for (const name of headers.keys()) {
    if (/^x-amz-(checksum-|sdk-checksum-algorithm$)/.test(name)) others.delete(name);
  }
  return others;
}

/** Returns how many bytes the object has; null where the body ends with its connection or its last chunk. */
function readSize({ mode }: Payload, headers: Headers): number | null {
  const decoded = readLength(headers, 'x-amz-decoded-content-length');
  if (mode === 'chunked') {
    if (decoded !== null) return decoded;
    throw new S3Error(
      'MissingContentLength',
      'The header x-amz-decoded-content-length is missing.',
    );
  }
  if (decoded !== null && isAwsChunked(headers)) {
    throw new S3Error(
      'InvalidRequest',
      'The body is in chunks of aws-chunked, but x-amz-content-sha256 says that it has none.',
    );
  }
  return readLength(headers, 'content-length');
}

function readLength(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  if (text === null || SIZE.test(text)) return text === null ? null : Number(text);
  throw new S3Error('InvalidArgument', `The header ${name} must be a number of bytes.`);
}

class Receiver {
  checksum: Checksum | null = null;
  private readonly decoder: AwsChunkedDecoder | null;
  private received = 0;
  private sinceTurn = 0;
  private checkedAt = performance.now();

  constructor(
    private readonly sender: Sender,
    private readonly declared: DeclaredChecksums,
    private readonly size: number | null,
    private readonly checkIntervalMs: number,
  ) {
    const { payload } = sender;
    this.decoder = payload.mode === 'chunked' ? new AwsChunkedDecoder(payload) : null;
  }

  receive(body: AsyncIterable<Uint8Array> | null): ReadableStream<Uint8Array> {
    const pieces = this.pieces(body);
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await pieces.return(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Yields the bytes of the object. The body is cancelled where they are not wanted any more, or are wrong. */
  private async *pieces(
    body: AsyncIterable<Uint8Array> | null,
  ): AsyncGenerator<Uint8Array, undefined> {
    const { declared } = this;
    const { payload } = this.sender;
    const sha256 = payload.mode === 'signed' ? payload.sha256 : null;
    const verifier = await BodyVerifier.create(declared, sha256);
    const sliceBytes = verifier.isNative ? NATIVE_SLICE_BYTES : SLICE_BYTES;
    for await (const piece of body ?? []) {
      await this.recheck();
      for (let at = 0; at < piece.length; at += sliceBytes) {
        const slice = piece.subarray(at, at + sliceBytes);
        for (const bytes of this.decoder?.decode(slice) ?? [slice]) {
          this.note(bytes, verifier);
          yield bytes;
        }
        await this.giveTurn(slice.length);
      }
    }
    await this.end(verifier);
    return undefined;
  }

  private note(bytes: Uint8Array, verifier: BodyVerifier): void {
    this.received += bytes.length;
    if (this.size !== null && this.received > this.size) throw this.wrongSize();
    verifier.update(bytes);
  }

  private async giveTurn(bytes: number): Promise<void> {
    this.sinceTurn += bytes;
    if (this.sinceTurn < TURN_BYTES) return;
    this.sinceTurn = 0;
    await setImmediate();
  }

  /** A client that is silent stores nothing, so it is enough to ask where bytes arrive, and at the end. */
  private async recheck(): Promise<void> {
    const now = performance.now();
    if (now - this.checkedAt < this.checkIntervalMs) return;
    this.checkedAt = now;
    await this.sender.recheck();
  }

  private async end(verifier: BodyVerifier): Promise<void> {
    await this.recheck();
    const trailers = this.decoder?.end() ?? new Map<string, string>();
    if (this.size !== null && this.received !== this.size) throw this.wrongSize();
    const announced = this.declared.trailers.map(checksumHeader);
    if (trailers.size !== announced.length || !announced.every((name) => trailers.has(name))) {
      throw malformedTrailer('they must be the headers that x-amz-trailer names');
    }
    const checksums = this.declared.trailers.map((algorithm) =>
      parseChecksum(algorithm, trailers.get(checksumHeader(algorithm)) ?? ''),
    );
    this.checksum = await verifier.verify(checksums);
  }

  private wrongSize(): S3Error {
    return new S3Error(
      'IncompleteBody',
      `The body must have ${this.size} bytes, but has ${this.received > (this.size ?? 0) ? 'more' : this.received}.`,
    );
  }
}

import { createHash, type Hash } from 'node:crypto';
import { S3Error } from '../errors.ts';
import { sha256Hex } from './canonical-request.ts';
import { isSameSignature, sign } from './signing-key.ts';
import type { ChunkSigning } from './types.ts';

const EMPTY_SHA256 = sha256Hex('');

/** Verifies the signatures of chunks, each of which covers the one before it. */
export class ChunkSignatures {
  private previous: string;
  private hash: Hash = createHash('sha256');

  constructor(private readonly signing: ChunkSigning) {
    this.previous = signing.seed;
  }

  /** Notes bytes of the current chunk. */
  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Ends the current chunk. Throws S3Error where it was not signed so. */
  endChunk(signature: string): void {
    const digest = this.hash.digest('hex');
    this.hash = createHash('sha256');
    this.require(signature, 'AWS4-HMAC-SHA256-PAYLOAD', `${EMPTY_SHA256}\n${digest}`, 'chunk');
  }

  /** Verifies the trailing headers as they were signed: each a name, a colon, a value and a line feed. */
  endTrailers(signature: string, trailers: string): void {
    const digest = sha256Hex(Buffer.from(trailers, 'latin1'));
    this.require(signature, 'AWS4-HMAC-SHA256-TRAILER', digest, 'trailer');
  }

  private require(signature: string, algorithm: string, digest: string, what: string): void {
    const { signingKey, timestamp, scope } = this.signing;
    const text = [algorithm, timestamp, scope, this.previous, digest].join('\n');
    const expected = sign(signingKey, text);
    if (!isSameSignature(expected, signature)) {
      throw new S3Error('SignatureDoesNotMatch', `The signature of a ${what} doesn't match.`);
    }
    this.previous = expected;
  }
}

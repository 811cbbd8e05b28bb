import { KIB } from '../../../contract/limits.ts';
import { S3Error } from '../errors.ts';
import {
  type ChunkHeader,
  malformedChunk,
  malformedTrailer,
  parseChunkHeader,
  parseTrailer,
} from './chunk-line.ts';
import { ChunkSignatures } from './chunk-signatures.ts';
import { LineReader } from './line-reader.ts';
import type { Payload } from './types.ts';

const MAX_LINE_LENGTH = 512;
const MAX_TRAILERS = 16;
/** AWS refuses smaller chunks but for the last one too. A signature for each byte would take a core. */
const MIN_CHUNK_BYTES = 8 * KIB;

type ChunkedPayload = Extract<Payload, { mode: 'chunked' }>;

/**
 * Decodes a body in the chunks of `aws-chunked`, which arrives in pieces of any size, and verifies its signatures.
 * It never holds more than a line; bytes of a chunk are handed out before the chunk's signature is verified, so they
 * count only when `end` has returned.
 */
export class AwsChunkedDecoder {
  private readonly lines = new LineReader(MAX_LINE_LENGTH);
  private readonly signatures: ChunkSignatures | null;
  private readonly trailers = new Map<string, string>();
  private state: 'header' | 'data' | 'data-end' | 'trailers' | 'ended' = 'header';
  private chunk: ChunkHeader = { size: 0, signature: null };
  private left = 0;
  private isLastData = false;
  private trailerSignature: string | null = null;

  constructor(private readonly payload: ChunkedPayload) {
    this.signatures = payload.signing && new ChunkSignatures(payload.signing);
  }

  /** Returns the bytes of the object in a piece of the body. Throws S3Error for wrong framing. */
  decode(bytes: Uint8Array): Uint8Array[] {
    const decoded: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.state === 'data') {
        const data = bytes.subarray(at, at + this.left);
        decoded.push(data);
        this.takeData(data);
        at += data.length;
      } else {
        const { line, to } = this.lines.read(bytes, at);
        if (line !== null) this.takeLine(line);
        at = to;
      }
    }
    return decoded;
  }

  /**
   * Returns the trailing headers by their names, after the last piece. Throws S3Error where the body ends too early
   * or its trailers aren't signed. The last line break may be missing, as some clients don't send it.
   */
  end(): ReadonlyMap<string, string> {
    const isComplete =
      (this.state === 'trailers' && !this.lines.isInLine) || this.state === 'ended';
    if (!isComplete) throw malformedChunk('it ends before its last chunk');
    if (this.payload.hasTrailer && this.signatures) {
      const text = [...this.trailers].map(([name, value]) => `${name}:${value}\n`).join('');
      if (this.trailerSignature === null)
        throw malformedTrailer('x-amz-trailer-signature is missing');
      this.signatures.endTrailers(this.trailerSignature, text);
    }
    return this.trailers;
  }

  private takeData(data: Uint8Array): void {
    this.signatures?.update(data);
    this.left -= data.length;
    if (this.left === 0) this.endData();
  }

  private endData(): void {
    if (this.signatures) this.signatures.endChunk(this.chunk.signature ?? '');
    this.state = 'data-end';
  }

  private takeLine(line: string): void {
    switch (this.state) {
      case 'header':
        this.takeHeader(parseChunkHeader(line));
        return;
      case 'data-end':
        if (line !== '') throw malformedChunk('a chunk is longer than its size');
        this.state = 'header';
        return;
      case 'trailers':
        this.takeTrailer(line);
        return;
      default:
        throw malformedChunk('bytes follow its end');
    }
  }

  private takeHeader(header: ChunkHeader): void {
    if ((header.signature !== null) !== (this.signatures !== null)) {
      throw malformedChunk(
        'its chunks must have a signature where the request says so, and only there',
      );
    }
    if (this.isLastData && header.size > 0) {
      throw new S3Error(
        'InvalidChunkSizeError',
        `Only the last chunk can be smaller than ${MIN_CHUNK_BYTES} bytes.`,
      );
    }
    this.chunk = header;
    this.left = header.size;
    this.isLastData = header.size < MIN_CHUNK_BYTES;
    if (header.size > 0) {
      this.state = 'data';
      return;
    }
    if (this.signatures) this.signatures.endChunk(header.signature ?? '');
    this.state = 'trailers';
  }

  private takeTrailer(line: string): void {
    if (line === '') {
      this.state = 'ended';
      return;
    }
    if (!this.payload.hasTrailer) throw malformedChunk('bytes follow its last chunk');
    const [name, value] = parseTrailer(line);
    if (name === 'x-amz-trailer-signature') {
      this.trailerSignature = value;
      return;
    }
    if (this.trailers.has(name) || this.trailers.size >= MAX_TRAILERS) {
      throw malformedTrailer('there are too many of them');
    }
    this.trailers.set(name, value);
  }
}

import { S3Error } from '../errors.ts';

const CHUNK_HEADER = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/;

/** The line before a chunk. */
export type ChunkHeader = { size: number; signature: string | null };

/** Returns what the line before a chunk says. Throws S3Error for another line. */
export function parseChunkHeader(line: string): ChunkHeader {
  const [, size, signature] = CHUNK_HEADER.exec(line) ?? [];
  if (size === undefined) throw malformedChunk('a chunk must begin with its size in hex');
  return { size: Number.parseInt(size, 16), signature: signature ?? null };
}

/** Returns the name in lower case and the value of a trailing header. Throws S3Error for another line. */
export function parseTrailer(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon <= 0) throw malformedTrailer('each line must be a name and a value');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** The error for a body whose framing by `aws-chunked` is wrong. */
export const malformedChunk = (reason: string) =>
  new S3Error('IncompleteBody', `The aws-chunked body is malformed: ${reason}.`);

/** The error for trailing headers that are wrong. */
export const malformedTrailer = (reason: string) =>
  new S3Error('MalformedTrailerError', `The trailing headers are malformed: ${reason}.`);

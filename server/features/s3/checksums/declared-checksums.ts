import { S3Error } from '../errors.ts';
import { CHECKSUM_ALGORITHMS, type Checksum, type ChecksumAlgorithm } from './algorithms.ts';
import { CHECKSUM_BYTES } from './hasher.ts';

const ALGORITHMS = new Map<string, ChecksumAlgorithm>(
  CHECKSUM_ALGORITHMS.map((algorithm) => [checksumHeader(algorithm), algorithm]),
);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a client declares about the bytes that it sends. */
export type DeclaredChecksums = {
  /** In Base64; null where the client didn't send it. */
  md5: string | null;
  /** Of the header `x-amz-checksum-…`; null for none. */
  checksum: Checksum | null;
  /** Which checksums follow the body as trailers. */
  trailers: ChecksumAlgorithm[];
};

/** Returns the name of the header that has a checksum. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** Returns what the headers of a request declare about its body. Throws S3Error for what can be no checksum. */
export function readDeclaredChecksums(headers: Headers): DeclaredChecksums {
  const declared = {
    md5: readMd5(headers),
    checksum: readChecksum(headers),
    trailers: readTrailers(headers),
  };
  const wanted = headers.get('x-amz-sdk-checksum-algorithm')?.toUpperCase();
  const sent = [declared.checksum?.algorithm, ...declared.trailers];
  if (wanted === undefined || sent.some((algorithm) => algorithm === wanted)) return declared;
  throw new S3Error(
    'InvalidRequest',
    'The header x-amz-sdk-checksum-algorithm was sent without the checksum that it names.',
  );
}

/** Returns a checksum in Base64. Throws S3Error for a text that can't be one of the algorithm. */
export function parseChecksum(algorithm: ChecksumAlgorithm, value: string): Checksum {
  if (isDigest(value, CHECKSUM_BYTES[algorithm])) return { algorithm, value };
  throw new S3Error(
    'InvalidRequest',
    `The value of ${checksumHeader(algorithm)} must be ${CHECKSUM_BYTES[algorithm]} bytes in Base64.`,
  );
}

function readMd5(headers: Headers): string | null {
  const md5 = headers.get('content-md5');
  if (md5 === null || isDigest(md5, CHECKSUM_BYTES.MD5)) return md5;
  throw new S3Error('InvalidDigest', 'The header Content-MD5 must be 16 bytes in Base64.');
}

function readChecksum(headers: Headers): Checksum | null {
  const sent = CHECKSUM_ALGORITHMS.flatMap((algorithm) => {
    const value = headers.get(checksumHeader(algorithm));
    return value === null ? [] : [parseChecksum(algorithm, value)];
  });
  if (sent.length <= 1) return sent[0] ?? null;
  throw new S3Error('InvalidRequest', 'Send one x-amz-checksum header only.');
}

function readTrailers(headers: Headers): ChecksumAlgorithm[] {
  const names = headers.get('x-amz-trailer')?.split(',') ?? [];
  const algorithms = names.map((name) => {
    const algorithm = ALGORITHMS.get(name.trim().toLowerCase());
    if (algorithm) return algorithm;
    throw new S3Error(
      'InvalidRequest',
      'The header x-amz-trailer must name x-amz-checksum headers.',
    );
  });
  return [...new Set(algorithms)];
}

const isDigest = (value: string, bytes: number): boolean =>
  value.length === 4 * Math.ceil(bytes / 3) &&
  BASE64.test(value) &&
  Buffer.from(value, 'base64').length === bytes;

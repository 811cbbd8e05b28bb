import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError, badRequest } from '../../../errors.ts';
import type { Caller } from '../../tokens/guard.ts';

/** The path of uploads, which is followed by `/{bucketID}` and `/{uploadID}`. */
export const TUS_PATH = '/files/tus';

/** Returns the id of the upload in a URL; undefined where it has none. */
export const idIn = (url: string): string | undefined =>
  new URL(url).pathname.split('/')[4] || undefined;

/** tus 1.0.0, checksum: "The Server MUST support at least the SHA1 checksum algorithm". */
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'sha512', 'md5'];

export type Checksum = { algorithm: string; digest: Buffer };

/**
 * Parses Upload-Checksum, which is '{algorithm} {base64}'. Returns null without it. Throws
 * bad-request.
 */
export function checksumOf(header: string | null): Checksum | null {
  if (header === null) return null;
  const [algorithm = '', encoded = ''] = header.trim().split(' ');
  if (!CHECKSUM_ALGORITHMS.includes(algorithm)) {
    throw badRequest(`Upload-Checksum supports ${CHECKSUM_ALGORITHMS.join(', ')}.`);
  }
  const digest = Buffer.from(encoded, 'base64');
  if (digest.length !== createHash(algorithm).digest().length) {
    throw badRequest(`Upload-Checksum must contain the ${algorithm} checksum in base64.`);
  }
  return { algorithm, digest };
}

/** What the store needs of a request besides its bytes, and what the request failed with. */
export type TusRequest = {
  checksum: Checksum | null;
  /** The Upload-Length of the request; null where it has none. */
  length: number | null;
  /** What it expects at the path of its file, as metadata. */
  preconditions: Record<string, string>;
  caller: Caller;
  error?: unknown;
};

/** The library passes only the bytes to its store, so the rest is passed this way. */
const current = new AsyncLocalStorage<TusRequest>();
export const withRequest = <Result>(request: TusRequest, work: () => Result): Result =>
  current.run(request, work);

/** Returns the current request. */
export function currentRequest(): TusRequest {
  const request = current.getStore();
  if (!request) throw new Error('There is no request.');
  return request;
}

/** Parses Upload-Length, which the library checks. */
export const lengthOf = (header: string | null) => (header === null ? null : Number(header));

export type Verifier = { update(bytes: Uint8Array): void; verify(): void };

/**
 * Returns a verifier of the bytes of the current request; null where the request has no checksum.
 */
export function claimedVerifier(): Verifier | null {
  const checksum = current.getStore()?.checksum;
  if (!checksum) return null;
  const hash = createHash(checksum.algorithm);
  return {
    update: (bytes) => void hash.update(bytes),
    verify() {
      if (timingSafeEqual(hash.digest(), checksum.digest)) return;
      throw new AppError(460, 'checksum-mismatch', "The bytes don't match the checksum.");
    },
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError, badRequest } from '../../../errors.ts';

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

/**
 * The library passes only the bytes to its store, so the checksum of the request is passed this
 * way.
 */
const claimed = new AsyncLocalStorage<Checksum | null>();
export const withChecksum = <Result>(checksum: Checksum | null, work: () => Result): Result =>
  claimed.run(checksum, work);

export type Verifier = { update(bytes: Uint8Array): void; verify(): void };

/**
 * Returns a verifier of the bytes of the current request; null where the request has no checksum.
 */
export function claimedVerifier(): Verifier | null {
  const checksum = claimed.getStore();
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

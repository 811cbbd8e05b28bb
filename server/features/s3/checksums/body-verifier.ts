import { S3Error } from '../errors.ts';
import type { Checksum, ChecksumAlgorithm } from './algorithms.ts';
import { checksumHeader, type DeclaredChecksums } from './declared-checksums.ts';
import { createHasher, type Hasher } from './hasher.ts';

/** Compares the bytes of a body with everything that a client declared about them. */
export class BodyVerifier {
  private constructor(
    private readonly declared: DeclaredChecksums,
    private readonly sha256: string | null,
    private readonly hashers: ReadonlyMap<ChecksumAlgorithm | 'MD5', Hasher>,
  ) {}

  /** @param sha256 the signed SHA-256 of the body in hex; null where it isn't signed */
  static async create(declared: DeclaredChecksums, sha256: string | null): Promise<BodyVerifier> {
    const { md5, checksum, trailers } = declared;
    const algorithms = new Set([
      ...(checksum ? [checksum.algorithm] : []),
      ...trailers,
      ...(md5 ? (['MD5'] as const) : []),
      ...(sha256 !== null ? (['SHA256'] as const) : []),
    ]);
    const hashers = new Map<ChecksumAlgorithm | 'MD5', Hasher>();
    for (const algorithm of algorithms) hashers.set(algorithm, await createHasher(algorithm));
    return new BodyVerifier(declared, sha256, hashers);
  }

  /** Whether no checksum is computed in JavaScript. */
  get isNative(): boolean {
    return !this.hashers.has('CRC32C') && !this.hashers.has('CRC64NVME');
  }

  /** Notes the next bytes of the body. */
  update(bytes: Uint8Array): void {
    for (const hasher of this.hashers.values()) hasher.update(bytes);
  }

  /**
   * Returns the checksum to keep with the object, after the last byte; null where the client sent none.
   * @param trailers the checksums that followed the body
   * @throws S3Error where one of them is of other bytes
   */
  async verify(trailers: readonly Checksum[]): Promise<Checksum | null> {
    const digests = new Map<ChecksumAlgorithm | 'MD5', Buffer>();
    for (const [algorithm, hasher] of this.hashers) digests.set(algorithm, await hasher.digest());
    const { md5, checksum } = this.declared;
    const checksums = [...(checksum ? [checksum] : []), ...trailers];
    this.requireSha256(digests.get('SHA256'));
    if (md5 !== null) requireSame('Content-MD5', md5, digests.get('MD5'));
    for (const { algorithm, value } of checksums) {
      requireSame(checksumHeader(algorithm), value, digests.get(algorithm));
    }
    return checksums[0] ?? null;
  }

  private requireSha256(digest: Buffer | undefined): void {
    const computed = digest?.toString('hex');
    if (this.sha256 === null || computed === this.sha256) return;
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      'The body is not the one that was signed: its SHA-256 differs from x-amz-content-sha256.',
      {
        ClientComputedContentSHA256: this.sha256,
        S3ComputedContentSHA256: computed ?? '',
      },
    );
  }
}

/** AWS accepts a digest whose unused last bits differ, so bytes are compared. */
function requireSame(header: string, expected: string, digest: Buffer | undefined): void {
  if (digest && Buffer.from(expected, 'base64').equals(digest)) return;
  const calculated = digest?.toString('base64') ?? '';
  throw new S3Error(
    'BadDigest',
    `The body is not the one that was sent: ${header} is ${expected}, but what arrived has ${calculated}.`,
    { ExpectedDigest: expected, CalculatedDigest: calculated },
  );
}

import { createHash } from 'node:crypto';
import type { ChecksumAlgorithm } from './algorithms.ts';
import { crc32c } from './crc32c.ts';

/** Computes a checksum of bytes that arrive in pieces. */
export type Hasher = {
  update: (bytes: Uint8Array) => void;
  digest: () => Promise<Buffer>;
};

/** How many bytes each checksum has. */
export const CHECKSUM_BYTES: Record<ChecksumAlgorithm | 'MD5', number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
  MD5: 16,
};

/** Returns what computes a checksum. What only some of them need is loaded with the first of them. */
export async function createHasher(algorithm: ChecksumAlgorithm | 'MD5'): Promise<Hasher> {
  switch (algorithm) {
    case 'CRC32':
      return createCrc32Hasher((await import('node:zlib')).crc32);
    case 'CRC32C':
      return createCrc32Hasher(crc32c);
    case 'CRC64NVME': {
      const { Crc64Nvme } = await import('@aws-sdk/checksums/crc');
      const crc = new Crc64Nvme();
      return {
        update: (bytes) => crc.update(bytes),
        digest: async () => Buffer.from(await crc.digest()),
      };
    }
    default: {
      const hash = createHash(algorithm.toLowerCase());
      return { update: (bytes) => hash.update(bytes), digest: async () => hash.digest() };
    }
  }
}

function createCrc32Hasher(crc: (bytes: Uint8Array, seed: number) => number): Hasher {
  let value = 0;
  return {
    update: (bytes) => {
      value = crc(bytes, value);
    },
    digest: async () => {
      const digest = Buffer.alloc(CHECKSUM_BYTES.CRC32);
      digest.writeUInt32BE(value);
      return digest;
    },
  };
}

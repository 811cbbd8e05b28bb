import type { UploadPartRow } from '../tables.ts';

/** The bytes of a part, as far as parts are compared by them. */
export type PartContent = { size: number; sha256: string };

/** Returns whether a part has the bytes of an earlier one, whose hash a version before 0037 did not store. */
export const isSameContent = (earlier: UploadPartRow, { size, sha256 }: PartContent): boolean =>
  earlier.size === size && (earlier.sha256 ?? sha256) === sha256;

/** Returns the row of a part, of whose bytes is known what is given. */
export const newPart = (
  part: Omit<UploadPartRow, 'sha256' | 'md5' | 'checksum'> & Partial<UploadPartRow>,
): UploadPartRow => ({ sha256: null, md5: null, checksum: null, ...part });

/** A body whose bytes are hashed while they are read. */
export type HashedBody = {
  body: AsyncIterable<Uint8Array>;
  /** Returns the SHA-256 of the bytes that were read, in hexadecimal. It can be called once. */
  sha256: () => string;
};

/** Returns a body that hashes what is read of it. */
export function hashBody(body: AsyncIterable<Uint8Array>): HashedBody {
  const hash = new Bun.CryptoHasher('sha256');
  async function* hashed() {
    for await (const bytes of body) {
      hash.update(bytes);
      yield bytes;
    }
  }
  return { body: hashed(), sha256: () => hash.digest('hex') };
}

/** Reads a part of which nothing is stored. */
export async function readContent(source: AsyncIterable<Uint8Array>): Promise<PartContent> {
  const { body, sha256 } = hashBody(source);
  let size = 0;
  for await (const bytes of body) size += bytes.byteLength;
  return { size, sha256: sha256() };
}

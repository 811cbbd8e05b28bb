import type { ChunkContent } from './chunks.ts';

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

/** Reads a chunk of which nothing is stored. */
export async function hashChunk(source: AsyncIterable<Uint8Array>): Promise<ChunkContent> {
  const { body, sha256 } = hashBody(source);
  let size = 0;
  for await (const bytes of body) size += bytes.byteLength;
  return { size, sha256: sha256() };
}

import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import { toHex } from './hex.ts';

/** The SHA-256, in hex, of a file's first 9 MiB: tells two videos of the same name and size apart. */
export async function hashFirstChunk(file: Blob): Promise<string> {
  const bytes = await file.slice(0, VIDEO_CHUNK_BYTES).arrayBuffer();
  // Browsers have no `subtle` on plain http, but for localhost.
  if (globalThis.crypto.subtle) {
    return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  }
  const { sha256 } = await import('@noble/hashes/sha2.js');
  return toHex(sha256(new Uint8Array(bytes)));
}

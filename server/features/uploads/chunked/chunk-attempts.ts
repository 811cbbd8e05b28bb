import { SECOND } from '../../../contract/limits.ts';
import { tooMany } from '../../../errors.ts';

/** A client that lost its connection sends a chunk again while its last request still seems to run. */
const MAX_CONCURRENT_ATTEMPTS = 4;
const RETRY_AFTER_MS = 5 * SECOND;

/**
 * Limits the requests that send the same chunk at the same time. An upload reserves each of its chunks
 * once, and clients send as slowly as they like: without a limit, any number of requests for one chunk
 * could fill the disk.
 */
export class ChunkAttempts {
  private readonly running = new Map<string, number>();

  /** Starts an attempt and returns the function that ends it. Throws too-many. */
  start(uploadId: string, chunkNumber: number): () => void {
    const key = `${uploadId} ${chunkNumber}`;
    const count = this.running.get(key) ?? 0;
    if (count >= MAX_CONCURRENT_ATTEMPTS) {
      throw tooMany('This chunk is being sent too often at once. Try again later.', RETRY_AFTER_MS);
    }
    this.running.set(key, count + 1);
    return () => this.end(key);
  }

  private end(key: string): void {
    const remaining = (this.running.get(key) ?? 0) - 1;
    if (remaining > 0) this.running.set(key, remaining);
    else this.running.delete(key);
  }
}

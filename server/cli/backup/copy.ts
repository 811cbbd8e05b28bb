import { tapStream } from '../../contract/streams.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';

const streamOf = (body: Blob | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  body instanceof Blob ? body.stream() : body;

/** Returns the SHA-256 of a body in hex, which is read piece by piece. */
export async function sha256Of(body: Blob | ReadableStream<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of streamOf(body)) hasher.update(chunk);
  return hasher.digest('hex');
}

/**
 * Copies an object and reads the copy back, to compare its SHA-256 with that of the bytes which
 * were read from the source. Returns null where there is no source. Throws, and leaves no copy,
 * where the two differ.
 */
export async function copyObject(
  from: Pick<ObjectStore, 'open'>,
  to: Pick<ObjectStore, 'open' | 'put' | 'delete'>,
  key: string,
): Promise<{ size: number; sha256: string } | null> {
  const source = await from.open(key);
  if (!source) return null;
  const hasher = new Bun.CryptoHasher('sha256');
  const hashed = tapStream(streamOf(source.body()), {
    onPiece: (bytes) => void hasher.update(bytes),
  });
  const { size } = await to.put(key, hashed);
  const sha256 = hasher.digest('hex');
  const copy = await to.open(key);
  if (size === source.size && copy && (await sha256Of(copy.body())) === sha256) {
    return { size, sha256 };
  }
  await to.delete(key);
  throw new Error(
    `The copy of ${key} differs from the original. Check the disk that holds the backup.`,
  );
}

/**
 * Calls `work` for each item, `width` of them at the same time. After a failure it starts no more
 * and waits for those that run.
 */
export async function eachOf<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    while (!failed) {
      const next = iterator.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: width }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

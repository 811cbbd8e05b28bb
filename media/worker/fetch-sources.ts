import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { permanentFailure } from '../media-failure.ts';

/**
 * Writes stored objects one after the other into a new local file, and answers the SHA-256, in
 * hex, of all of them. Throws a permanent
 * MediaFailure where one is gone, the signal's reason after an abort.
 */
export async function fetchSources(
  objects: Pick<ObjectStore, 'open'>,
  keys: string[],
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    for (const key of keys) {
      const object = await objects.open(key);
      if (!object) throw permanentFailure('The uploaded file no longer exists.');
      const body = object.body();
      const stream = body instanceof Blob ? body.stream() : body;
      for await (const bytes of stream) {
        signal.throwIfAborted();
        hash.update(bytes);
        await file.writeFile(bytes);
      }
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** The same for one object whose hash nobody needs: the kernel copies what is a file. */
export async function fetchWhole(
  objects: Pick<ObjectStore, 'open'>,
  key: string,
  path: string,
): Promise<void> {
  const object = await objects.open(key);
  if (!object) throw permanentFailure('The file no longer exists.');
  const body = object.body();
  await (body instanceof Blob ? Bun.write(path, body) : Bun.write(path, new Response(body)));
}

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { MediaObject } from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';
import { permanentFailure } from '../media-failure.ts';

/** Segments are small, so storing them is mostly waiting for the disk or the network. */
const PUBLISH_BATCH_SIZE = 4;

/**
 * Writes stored objects one after the other into a new local file. Returns the SHA-256 of all of them in
 * hex. Throws a permanent MediaFailure where one is missing, and the signal's reason after an abort.
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

/** Does the same for a single object whose hash nobody needs, so that the kernel can copy a file. */
export async function fetchObject(
  objects: Pick<ObjectStore, 'open'>,
  key: string,
  path: string,
): Promise<void> {
  const object = await objects.open(key);
  if (!object) throw permanentFailure('The file no longer exists.');
  const body = object.body();
  await (body instanceof Blob ? Bun.write(path, body) : Bun.write(path, new Response(body)));
}

/** A finished local file and its name below the job's prefix. */
type Finished = { name: string; path: string };

/**
 * Moves finished files into the store below `prefix`. The last one is stored after all others, so that
 * everything it refers to is there.
 */
export async function publish(
  objects: Pick<ObjectStore, 'putFile'>,
  prefix: string,
  files: Finished[],
  signal: AbortSignal,
): Promise<MediaObject[]> {
  const put = async ({ name, path }: Finished): Promise<MediaObject> => {
    signal.throwIfAborted();
    const { size } = await objects.putFile(prefix + name, path);
    return { name, size };
  };
  const stored: MediaObject[] = [];
  for (let from = 0; from < files.length - 1; from += PUBLISH_BATCH_SIZE) {
    const group = files.slice(from, Math.min(from + PUBLISH_BATCH_SIZE, files.length - 1));
    stored.push(...(await settle(group.map(put))));
  }
  return [...stored, ...(await settle(files.slice(-1).map(put)))];
}

/** Waits for all even when one fails, because the folder must not be removed under the others. */
async function settle<Value>(work: Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

import type { MadeObject } from '../../server/contract/media.ts';
import type { ObjectStore } from '../../server/platform/storage/port.ts';

/** Segments are small, so that waiting for the disk or the network is most of their time. */
const PUBLISH_BATCH_SIZE = 4;

/** A finished local file and what it is called below the job's prefix. */
export type Finished = { name: string; path: string };

/**
 * Moves finished files into the store below `prefix`. The last one is stored after all others:
 * once it is there, everything it refers to is.
 */
export async function publish(
  objects: Pick<ObjectStore, 'putFile'>,
  prefix: string,
  files: Finished[],
  signal: AbortSignal,
): Promise<MadeObject[]> {
  const put = async ({ name, path }: Finished): Promise<MadeObject> => {
    signal.throwIfAborted();
    const { size } = await objects.putFile(prefix + name, path);
    return { name, size };
  };
  const made: MadeObject[] = [];
  for (let from = 0; from < files.length - 1; from += PUBLISH_BATCH_SIZE) {
    const group = files.slice(from, Math.min(from + PUBLISH_BATCH_SIZE, files.length - 1));
    made.push(...(await settle(group.map(put))));
  }
  return [...made, ...(await settle(files.slice(-1).map(put)))];
}

/** Waits for all even when one fails: the folder must not be removed under the others. */
async function settle<Value>(work: Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

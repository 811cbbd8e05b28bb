import { MIB, MINUTE } from '../../contract/limits.ts';
import { makeFolder } from '../durable-folders.ts';
import { machineMemory } from '../machine-memory.ts';
import { createSlots } from '../slots.ts';
import { withTemporary } from './disk-files.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { checkKey } from './keys.ts';
import type { ObjectStore } from './port.ts';
import { deleteStaleTemporaryFiles } from './temporary-files.ts';
import { writeStream } from './write-stream.ts';

/** Memory of one object that is sent: a part that is sent, one that is filled and one that is read ahead. */
const BYTES_PER_SEND = 16 * MIB;

export type Spool = {
  /** A local folder for objects on their way. */
  folder: string;
  /** Whether no server in another container uses the same folder. */
  isOnlyProcess?: boolean;
  /** What stays free of the disk that the folder is on. */
  reserve?: Pick<DiskReserve, 'require'>;
  /** How many objects are sent at the same time. */
  concurrency?: number;
};

/**
 * Returns a function that gives stores a spool on the local disk, for stores that send their objects over a
 * network from memory. A put collects the body in a file and sends it when all of it is there. Clients send
 * as slowly as they like, so with a place in memory from their first byte, a few of them would keep
 * everybody else from storing anything. All stores share the places, in which owners take turns.
 */
export async function createSpool({
  folder,
  isOnlyProcess = false,
  reserve,
  concurrency = limitConcurrency(),
}: Spool) {
  await makeFolder(folder);
  await deleteStaleTemporaryFiles(folder, Date.now(), { isOnlyProcess });
  const withSlot = createSlots(concurrency, 'Too many uploads at once. Try again in a moment.', {
    waitTimeoutMs: MINUTE,
    maxPerKey: Math.ceil(concurrency / 2),
  });

  return (store: ObjectStore): ObjectStore => ({
    ...store,
    async put(key, body, { owner, slot: _, ...limits } = {}) {
      checkKey(key);
      return withTemporary(folder, async (path) => {
        await writeStream(body, path, { ...limits, reserve, synced: 'none' });
        return withSlot(() => store.putFile(key, path), owner);
      });
    },
    // What S3 can't compose by itself passes through the memory of this process.
    compose: (key, sources, { owner } = {}) => withSlot(() => store.compose(key, sources), owner),
    async tidy(now) {
      await deleteStaleTemporaryFiles(folder, now);
      await store.tidy(now);
    },
  });
}

/** Returns how many objects can be sent at the same time, when all of them use a quarter of the memory. */
function limitConcurrency(): number {
  return Math.min(256, Math.max(8, Math.floor(machineMemory() / 4 / BYTES_PER_SEND)));
}

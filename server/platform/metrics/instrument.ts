import type { ObjectStore } from '../storage/port.ts';
import type { Counts } from './counts.ts';

/** The same store; what uploads put into it is counted. */
export const instrumentStore = (store: ObjectStore, counts: Counts): ObjectStore => ({
  ...store,
  async put(...put) {
    const stored = await store.put(...put);
    counts.bytesIn += stored.size;
    return stored;
  },
});

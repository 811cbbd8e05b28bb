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

type Runner<Job, Options, Result> = { run(job: Job, options: Options): Promise<Result> };

/** The same media process; how long its jobs take is counted, also of those that fail. */
export function instrumentMedia<Client extends Runner<never, never, unknown>>(
  media: Client,
  counts: Counts,
): Client {
  const run = async (job: { kind: string }, options: unknown) => {
    const began = performance.now();
    try {
      return await media.run(job as never, options as never);
    } finally {
      counts.encoded(job.kind, performance.now() - began);
    }
  };
  return { ...media, run };
}

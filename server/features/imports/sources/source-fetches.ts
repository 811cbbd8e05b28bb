import { SECOND } from '../../../contract/limits.ts';
import type { Access } from '../../../contract/wire.ts';
import { FairLimiter } from '../../../platform/fair-limiter.ts';
import type { Bucket, BucketSourceRow } from '../../buckets/service.ts';
import { isPath } from '../../files/service.ts';
import { notFetched, stillFetching, tooManyFetches, tooManyMisses } from './fetch-errors.ts';
import { FetchMemory } from './fetch-memory.ts';
import {
  CHECK_INTERVAL_MS,
  type FetcherDeps,
  FileFetcher,
  type MissingFile,
} from './file-fetcher.ts';
import { MissRates } from './miss-rates.ts';

/** How many files of an account are fetched at the same time, in this process, and how many more wait. */
const [PER_ACCOUNT, WAITING_PER_ACCOUNT] = [4, 64];
/** Proxies give up a silent response after a minute, and S3 clients repeat a request that is refused before. */
const WAIT_TIMEOUT_MS = 25 * SECOND;

/** Who reads a file that may have to be fetched. */
export type SourceReader = {
  /** Whom a miss counts for, such as an address or an access key; null for nobody. */
  id: string | null;
  /** Whether they may open a file of the path with such access, which is asked before anything is fetched. */
  mayOpen: (access: Access) => boolean | Promise<boolean>;
};

/**
 * Fetches files that a bucket does not have from its source, once for all who read them at the same time. A fetch goes on
 * when they leave, so that a large file is there the next time.
 */
export class SourceFetches {
  private readonly running = new Map<string, Promise<boolean>>();
  private readonly stopper = new AbortController();
  private readonly memory: FetchMemory;
  private readonly misses: MissRates;
  private readonly fetcher: FileFetcher;
  /** All accounts together have no limit, as those with slow sources would keep the others out. */
  private readonly limiter = new FairLimiter(
    {
      running: Number.POSITIVE_INFINITY,
      runningPerKey: PER_ACCOUNT,
      waiting: Number.POSITIVE_INFINITY,
      waitingPerKey: WAITING_PER_ACCOUNT,
    },
    tooManyFetches,
  );

  constructor(
    private readonly deps: FetcherDeps,
    checkIntervalMs = CHECK_INTERVAL_MS,
  ) {
    this.memory = new FetchMemory(deps.clock);
    this.misses = new MissRates(deps.clock);
    this.fetcher = new FileFetcher(deps, this.memory, checkIntervalMs);
  }

  /**
   * Fetches the file of a path at which a bucket has none. Returns whether one has come there. Throws unavailable where
   * it can't be fetched now, too-many where its reader has asked for too much that is not there, and what `mayOpen`
   * throws.
   */
  async fetchMissing(bucket: Bucket, path: string, reader: SourceReader): Promise<boolean> {
    const source = await this.findSource(bucket, path);
    if (!source || !(await reader.mayOpen(source.access))) return false;
    const known = this.memory.answerOf(source.id, path);
    if (known === 'missing' || (await this.fetcher.isDeleted({ source, path }))) return false;
    this.requireRates(source, reader);
    if (known === 'refused' || bucket.status !== 'running') throw notFetched();
    return withinTime(this.join({ source, bucket, path }, reader));
  }

  /** Ends what is being fetched. */
  async stop(): Promise<void> {
    this.stopper.abort(notFetched());
    await Promise.allSettled(this.running.values());
  }

  private async findSource(bucket: Bucket, path: string): Promise<BucketSourceRow | undefined> {
    if (bucket.has_source !== 1 || !isPath(path) || path.endsWith('/')) return undefined;
    const { sources } = this.deps.buckets;
    const source = await sources.find(bucket.id);
    if (!source || !path.startsWith(source.folder)) return undefined;
    if (!sources.isFull(source)) return source;
    await sources.setError(source, TOO_MANY_DELETED);
    return undefined;
  }

  private requireRates({ id }: BucketSourceRow, reader: SourceReader): void {
    const ownWaitMs = this.misses.readerWait(id, reader.id);
    if (ownWaitMs > 0) throw tooManyMisses(ownWaitMs);
    const waitMs = Math.max(this.memory.waitOf(id), this.misses.sourceWait(id));
    if (waitMs > 0) throw notFetched(waitMs);
  }

  private join(file: MissingFile, reader: SourceReader): Promise<boolean> {
    const { source, bucket, path } = file;
    const key = `${source.id}/${path}`;
    const running = this.running.get(key);
    if (running) return running;
    const { signal } = this.stopper;
    const work = async () => {
      try {
        return await this.fetcher.fetch(file, signal);
      } finally {
        const isMiss = this.memory.answerOf(source.id, path) !== undefined;
        if (isMiss) this.misses.count(source.id, reader.id);
      }
    };
    const fetching = this.limiter
      .run(bucket.user_id, work, signal)
      .finally(() => this.running.delete(key));
    // Everybody who waits for it may have left.
    fetching.catch(() => {});
    this.running.set(key, fetching);
    return fetching;
  }
}

const TOO_MANY_DELETED =
  'Too many files were deleted here to remember them all, so no more are fetched. Import the rest, or have the deleted ones fetched again.';

/** Waits for a fetch as long as clients wait for an answer. Throws unavailable after that. */
async function withinTime(fetching: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(stillFetching()), WAIT_TIMEOUT_MS);
  try {
    return await Promise.race([fetching, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

import { SECOND } from '../../../contract/limits.ts';
import type { Access } from '../../../contract/wire.ts';
import { AppError, conflict, unavailable } from '../../../errors.ts';
import { FairLimiter } from '../../../platform/fair-limiter.ts';
import type { Log } from '../../../platform/log.ts';
import { type Keys, unseal } from '../../../platform/secrets/secrets.ts';
import {
  type OpenRemoteBucket,
  RemoteBucketError,
} from '../../../platform/storage/remote-bucket.ts';
import type { Bucket, BucketSourceRow, Buckets } from '../../buckets/service.ts';
import { isPath } from '../../files/service.ts';
import { failureOf, type ImportObjectDeps, storeObject } from '../import-object.ts';
import { FetchMemory, PAUSE_MS } from './fetch-memory.ts';
import { whileWanted } from './while-wanted.ts';

type Deps = ImportObjectDeps & {
  buckets: Pick<Buckets, 'sources' | 'byId'>;
  keys: Keys;
  openRemoteBucket: OpenRemoteBucket;
  log: Pick<Log, 'warn'>;
};

/** How many files of an account are fetched at the same time, in this process, and how many more wait. */
const [PER_ACCOUNT, WAITING_PER_ACCOUNT] = [4, 64];
/** Proxies give up a silent response after a minute, and S3 clients repeat a request that is refused before. */
const WAIT_TIMEOUT_MS = 25 * SECOND;
const RETRY_AFTER_MS = 5 * SECOND;
/** A large object takes hours, within which its source may be removed, with the key that reads it. */
const CHECK_INTERVAL_MS = 15 * SECOND;

/** Whether somebody may open a file of a path with such access, which is asked before anything is fetched. */
type MayOpen = (access: Access) => boolean | Promise<boolean>;

/** What is fetched has been deleted meanwhile, its source removed, or its bucket closed. */
const NOT_WANTED = conflict('The file is not wanted any more.');

/**
 * Fetches files that a bucket does not have from its source, once for all who read them at the same time. A fetch goes on
 * when they leave, so that a large file is there the next time.
 */
export class SourceFetches {
  private readonly running = new Map<string, Promise<boolean>>();
  private readonly stopper = new AbortController();
  private readonly memory: FetchMemory;
  /** All accounts together have no limit, as those with slow sources would keep the others out. */
  private readonly limiter = new FairLimiter(
    {
      running: Number.POSITIVE_INFINITY,
      runningPerKey: PER_ACCOUNT,
      waiting: Number.POSITIVE_INFINITY,
      waitingPerKey: WAITING_PER_ACCOUNT,
    },
    () => notNow('Too many files of this account are being fetched. Try again.'),
  );

  constructor(
    private readonly deps: Deps,
    private readonly checkIntervalMs = CHECK_INTERVAL_MS,
  ) {
    this.memory = new FetchMemory(deps.clock);
  }

  /**
   * Fetches the file of a path at which a bucket has none. Returns whether one has come there. Throws unavailable where
   * it can't be fetched now, and what `mayOpen` throws.
   */
  async fetchMissing(bucket: Bucket, path: string, mayOpen: MayOpen): Promise<boolean> {
    const source = await this.findSource(bucket, path);
    if (!source || !(await mayOpen(source.access))) return false;
    const known = this.memory.answerOf(source.id, path);
    if (known === 'missing' || (await this.isDeleted(source, path))) return false;
    const waitMs = this.memory.waitOf(source.id);
    if (known === 'refused' || waitMs > 0) throw notFetched(waitMs);
    if (bucket.status !== 'running') throw notFetched();
    return withinTime(this.join(source, bucket, path));
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

  /** What was deleted here stays deleted, whatever the source has. */
  private async isDeleted(source: BucketSourceRow, path: string): Promise<boolean> {
    const { buckets, files } = this.deps;
    const { bucket_id } = source;
    return (
      (await buckets.sources.isExcluded(bucket_id, path)) ||
      (await files.trash.has(bucket_id, path))
    );
  }

  private join(source: BucketSourceRow, bucket: Bucket, path: string): Promise<boolean> {
    const key = `${source.id}/${path}`;
    const running = this.running.get(key);
    if (running) return running;
    const work = () => this.fetch(source, bucket, path);
    const fetching = this.limiter
      .run(bucket.user_id, work, this.stopper.signal)
      .finally(() => this.running.delete(key));
    // Everybody who waits for it may have left.
    fetching.catch(() => {});
    this.running.set(key, fetching);
    return fetching;
  }

  private async fetch(source: BucketSourceRow, bucket: Bucket, path: string): Promise<boolean> {
    try {
      // It may have come since its reader has looked, also in another process.
      if (await this.deps.files.objectAt(bucket.id, path)) return true;
      const outcome = await whileWanted({
        work: (signal) => this.store(source, bucket, path, signal),
        isWanted: () => this.isWanted(source, path),
        ...{ reason: NOT_WANTED, signal: this.stopper.signal, intervalMs: this.checkIntervalMs },
      });
      if (outcome.kind === 'failed') return await this.passOver(source, path, outcome.message);
      await this.deps.buckets.sources.setError(source, null);
      return true;
    } catch (error) {
      return this.afterFailure(source, path, error);
    }
  }

  private async isWanted(source: BucketSourceRow, path: string): Promise<boolean> {
    const { buckets } = this.deps;
    const [current, bucket] = await Promise.all([
      buckets.sources.find(source.bucket_id),
      buckets.byId(source.bucket_id),
    ]);
    const isSet = current?.id === source.id && bucket?.status === 'running';
    return isSet && !(await this.isDeleted(source, path));
  }

  private async store(source: BucketSourceRow, bucket: Bucket, path: string, signal: AbortSignal) {
    const { keys, openRemoteBucket, buckets } = this.deps;
    const { endpoint, region, access_key_id: accessKeyId, source_bucket, access } = source;
    const secretAccessKey = unseal(keys.all('s3-import-seal'), source.secret_sealed, source.id);
    const settings = { endpoint, region, accessKeyId, secretAccessKey, bucket: source_bucket };
    const remote = await openRemoteBucket(settings);
    const key = source.prefix + path.slice(source.folder.length);
    const object = await remote.open({ key, etag: '' }, signal);
    const target = {
      ...{ bucket, path, access, actor: { userId: bucket.user_id } },
      ...({ onConflict: 'error' } as const),
      guards: buckets.sources.guard(source, path, () => NOT_WANTED),
    };
    try {
      return await storeObject(this.deps, target, object);
    } finally {
      object.close();
    }
  }

  /** Returns what a failure means for the path. Throws unavailable where it may pass. */
  private async afterFailure(
    source: BucketSourceRow,
    path: string,
    error: unknown,
  ): Promise<boolean> {
    // Somebody else was faster, whose file is there.
    if (error instanceof AppError && error.code === 'path-taken') return true;
    if (error === NOT_WANTED) return false;
    if (error instanceof RemoteBucketError && error.kind === 'missing') {
      this.memory.setAnswer(source.id, path, 'missing');
      return false;
    }
    this.stopper.signal.throwIfAborted();
    const isRefused = error instanceof RemoteBucketError && error.kind === 'refused';
    const failure = failureOf(error);
    if (failure?.kind === 'failed' && RULES.includes(failure.code)) {
      return this.passOver(source, path, failure.message);
    }
    // What is wrong with one object must not keep others from being fetched.
    if (isRefused || failure) this.memory.setAnswer(source.id, path, 'refused');
    else this.memory.pause(source.id);
    await this.report(source, path, error);
    throw notFetched();
  }

  /** An object that the bucket does not accept is none here. */
  private async passOver(source: BucketSourceRow, path: string, reason: string): Promise<false> {
    this.memory.setAnswer(source.id, path, 'missing');
    this.deps.log.warn(
      { bucket: source.bucket_id, path, reason },
      'an object of the source of a bucket is not fetched',
    );
    return false;
  }

  private async report(source: BucketSourceRow, path: string, error: unknown): Promise<void> {
    const { buckets, log } = this.deps;
    const { bucket_id: bucket, endpoint } = source;
    log.warn(
      { bucket, endpoint, path, error: String(error) },
      'fetching from the source of a bucket failed',
    );
    await buckets.sources.setError(source, textOf(error)).catch(() => {});
  }
}

const TOO_MANY_DELETED =
  'Too many files were deleted here to remember them all, so no more are fetched. Import the rest.';

/** The refusals of an object that stay, as long as the rules of its bucket do. */
const RULES: string[] = ['too-large', 'type-refused', 'invalid'];

function textOf(error: unknown): string {
  if (error instanceof AppError) return error.text;
  return error instanceof RemoteBucketError ? error.message : 'An unexpected error occurred.';
}

const notNow = (text: string, retryAfter = RETRY_AFTER_MS) => unavailable(text, retryAfter);
const notFetched = (waitMs = 0) =>
  notNow(
    'The file could not be fetched from where it is stored. Try again later.',
    Math.max(PAUSE_MS, waitMs),
  );

/** Waits for a fetch as long as clients wait for an answer. Throws unavailable after that. */
async function withinTime(fetching: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(notNow('The file is being fetched. Try again in a moment.')),
    WAIT_TIMEOUT_MS,
  );
  try {
    return await Promise.race([fetching, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

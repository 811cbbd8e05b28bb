import { SECOND } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import type { Log } from '../../../platform/log.ts';
import { type Keys, unseal } from '../../../platform/secrets/secrets.ts';
import {
  type OpenRemoteBucket,
  RemoteBucketError,
} from '../../../platform/storage/remote-bucket.ts';
import type { Bucket, BucketSourceRow, Buckets } from '../../buckets/service.ts';
import { failureOf, type ImportObjectDeps, storeObject } from '../import-object.ts';
import { NOT_WANTED, notFetched, reasonOf } from './fetch-errors.ts';
import type { Answer, FetchMemory } from './fetch-memory.ts';
import { whileWanted } from './while-wanted.ts';

export type FetcherDeps = ImportObjectDeps & {
  buckets: Pick<Buckets, 'sources' | 'byId'>;
  keys: Keys;
  openRemoteBucket: OpenRemoteBucket;
  log: Pick<Log, 'warn'>;
};

/** A large object takes hours, within which its source may be removed, with the key that reads it. */
export const CHECK_INTERVAL_MS = 15 * SECOND;

/** The file of a path that a bucket does not have, and its source. */
export type MissingFile = { source: BucketSourceRow; bucket: Bucket; path: string };

/** Fetches files from the sources of their buckets, each for all who wait for it. */
export class FileFetcher {
  constructor(
    private readonly deps: FetcherDeps,
    private readonly memory: FetchMemory,
    private readonly checkIntervalMs: number,
  ) {}

  /** Fetches a file. Returns whether it has come. Throws unavailable where that may be so later. */
  async fetch(file: MissingFile, signal: AbortSignal): Promise<boolean> {
    const { source, bucket, path } = file;
    try {
      // It may have come since its reader has looked, also in another process.
      if (await this.deps.files.objectAt(bucket.id, path)) return true;
      const outcome = await whileWanted({
        work: (stopped) => this.store(file, stopped),
        isWanted: () => this.isWanted(file),
        ...{ reason: NOT_WANTED, signal, intervalMs: this.checkIntervalMs },
      });
      if (outcome.kind === 'failed') return this.skip(file, outcome.message);
      await this.deps.buckets.sources.setError(source, null);
      return true;
    } catch (error) {
      return this.afterFailure(file, error, signal);
    }
  }

  /** What was deleted here stays deleted, whatever the source has. */
  async isDeleted({ source, path }: Pick<MissingFile, 'source' | 'path'>): Promise<boolean> {
    const { buckets, files } = this.deps;
    const { bucket_id } = source;
    return (
      (await buckets.sources.isExcluded(bucket_id, path)) ||
      (await files.trash.has(bucket_id, path))
    );
  }

  private async isWanted(file: MissingFile): Promise<boolean> {
    const { source } = file;
    const { buckets } = this.deps;
    const [current, bucket] = await Promise.all([
      buckets.sources.find(source.bucket_id),
      buckets.byId(source.bucket_id),
    ]);
    const isSet = current?.id === source.id && bucket?.status === 'running';
    return isSet && !(await this.isDeleted(file));
  }

  private async store({ source, bucket, path }: MissingFile, signal: AbortSignal) {
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
    file: MissingFile,
    error: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    // Somebody else was faster, whose file is there.
    if (error instanceof AppError && error.code === 'path-taken') return true;
    if (error === NOT_WANTED) return false;
    if (error instanceof RemoteBucketError && error.kind === 'missing') {
      return this.remember(file, 'missing');
    }
    signal.throwIfAborted();
    const isRefused = error instanceof RemoteBucketError && error.kind === 'refused';
    const failure = failureOf(error);
    if (failure?.kind === 'failed' && RULES.includes(failure.code)) {
      return this.skip(file, failure.message);
    }
    // What is wrong with one object must not keep others from being fetched.
    if (isRefused || failure) this.remember(file, 'refused');
    else this.memory.pause(file.source.id);
    await this.report(file, error);
    throw notFetched();
  }

  private remember({ source, path }: MissingFile, answer: Answer): false {
    this.memory.setAnswer(source.id, path, answer);
    return false;
  }

  /** An object that the bucket does not accept is none here. */
  private skip(file: MissingFile, reason: string): false {
    const { source, path } = file;
    this.deps.log.warn(
      { bucket: source.bucket_id, path, reason },
      'an object of the source of a bucket is not fetched',
    );
    return this.remember(file, 'missing');
  }

  private async report({ source, path }: MissingFile, error: unknown): Promise<void> {
    const { buckets, log } = this.deps;
    const { bucket_id: bucket, endpoint } = source;
    log.warn(
      { bucket, endpoint, path, error: String(error) },
      'fetching from the source of a bucket failed',
    );
    await buckets.sources.setError(source, reasonOf(error)).catch(() => {});
  }
}

/** The refusals of an object that stay, as long as the rules of its bucket do. */
const RULES: string[] = ['too-large', 'type-refused', 'invalid'];

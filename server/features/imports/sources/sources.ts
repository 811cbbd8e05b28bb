import { MINUTE } from '../../../contract/limits.ts';
import type { BucketSourceBody } from '../../../contract/schemas/imports.ts';
import type { BucketSourceWire } from '../../../contract/wire.ts';
import { tooMany } from '../../../errors.ts';
import { FairLimiter } from '../../../platform/fair-limiter.ts';
import { newId } from '../../../platform/ids.ts';
import { seal } from '../../../platform/secrets/secrets.ts';
import type { BucketSourceRow, Buckets } from '../../buckets/service.ts';
import { type CreateImportDeps, requireSource } from '../create-import.ts';
import { parseImport } from '../settings.ts';

type Deps = Pick<CreateImportDeps, 'clock' | 'keys' | 'openRemoteBucket'> & {
  buckets: Pick<Buckets, 'sources' | 'ownedBy'>;
};

const NEVER = new AbortController().signal;

/** The sources of buckets, which their owners set. */
export class Sources {
  /** A server is asked before it is stored, which takes as long as that likes. */
  private readonly checks = new FairLimiter(
    { running: Number.POSITIVE_INFINITY, runningPerKey: 1, waiting: 0, waitingPerKey: 0 },
    () => tooMany('Another source of this account is being set.', MINUTE),
  );

  constructor(private readonly deps: Deps) {}

  /** Returns the source of a user's bucket; null where it has none. Throws not-found. */
  async get(userId: string, bucketId: string): Promise<BucketSourceWire | null> {
    const { buckets } = this.deps;
    await buckets.ownedBy(userId, bucketId);
    const source = await buckets.sources.find(bucketId);
    return source ? toSourceWire(source) : null;
  }

  /**
   * Sets the source of a user's bucket, once it has listed its objects. Throws not-found, invalid, conflict, too-many,
   * and download-failed where it can't be read.
   */
  async set(
    userId: string,
    bucketId: string,
    body: typeof BucketSourceBody.static,
  ): Promise<BucketSourceWire> {
    const { buckets, clock, keys } = this.deps;
    await buckets.ownedBy(userId, bucketId);
    const settings = parseImport(body);
    await this.checks.run(userId, () => requireSource(this.deps, settings), NEVER);
    const { remote, prefix, folder, access } = settings;
    const now = clock();
    const id = newId(now);
    const row = {
      ...{ id, bucket_id: bucketId, endpoint: remote.endpoint, region: remote.region },
      ...{ access_key_id: remote.accessKeyId, source_bucket: remote.bucket },
      secret_sealed: seal(keys('s3-import-seal'), remote.secretAccessKey, id),
      ...{ prefix, folder, access, created_at: now },
    };
    await buckets.sources.set({ userId, id: bucketId, actor: { userId } }, row);
    const excluded = (await buckets.sources.find(bucketId))?.excluded ?? 0;
    return toSourceWire({ ...row, excluded, error: null });
  }

  /**
   * Lets be fetched again what was deleted from a user's bucket or moved, but for what is in its trash. Throws not-found,
   * conflict.
   */
  async clearExclusions(userId: string, bucketId: string): Promise<void> {
    const { buckets } = this.deps;
    await buckets.ownedBy(userId, bucketId);
    await buckets.sources.clearExclusions({ userId, id: bucketId, actor: { userId } });
  }

  /** Removes the source of a user's bucket with its access key. Throws not-found, conflict. */
  async remove(userId: string, bucketId: string): Promise<void> {
    const { buckets } = this.deps;
    if (!(await this.get(userId, bucketId))) return;
    await buckets.sources.remove({ userId, id: bucketId, actor: { userId } });
  }
}

const toSourceWire = (row: Omit<BucketSourceRow, 'generation'>): BucketSourceWire => ({
  ...{ endpoint: row.endpoint, region: row.region, access_key_id: row.access_key_id },
  ...{ bucket: row.source_bucket, prefix: row.prefix, folder: row.folder, access: row.access },
  excluded: row.excluded,
  error: row.error,
  date: new Date(row.created_at).toISOString(),
});

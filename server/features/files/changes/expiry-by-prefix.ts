import type { Clock } from '../../../platform/clock.ts';
import { forEachSettled } from '../../../platform/concurrency.ts';
import type { Database } from '../../../platform/db/port.ts';
import {
  type Bucket,
  type Buckets,
  type ExpiryWalk,
  isExpiredBy,
  nextExpiryStart,
  type WalkRules,
} from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { behindPath } from '../paths/bounds.ts';
import { fileById } from '../store.ts';
import { filesFrom, type ListedFile } from './updates-store.ts';

/** How many buckets get a turn in a run, and how many of them at the same time. */
const BUCKETS_PER_RUN = 256;
const CONCURRENCY = 4;
/** What a bucket may have in its turn, so that the others get theirs. A slice is read at once. */
const SLICE_ROWS = 256;
const SLICES_PER_TURN = 32;
const DELETIONS_PER_TURN = 256;

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents' | 'byId' | 'expiryWalks'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

/** Deletes files by the rules of their buckets, which name a beginning of paths and a number of days. */
export class ExpiryByPrefix {
  constructor(private readonly deps: Deps) {}

  /**
   * Gives the buckets whose turn it is theirs. An interrupted call can be repeated. Throws the first failure at the
   * end: neither a file nor a bucket whose turn fails keeps the others from theirs.
   */
  async runDue(signal: AbortSignal): Promise<void> {
    const walks = await this.deps.buckets.expiryWalks.due(BUCKETS_PER_RUN);
    await forEachSettled(walks, CONCURRENCY, (walk) => this.takeTurn(walk, signal));
  }

  private async takeTurn({ bucketId, position }: ExpiryWalk, signal: AbortSignal): Promise<void> {
    const { buckets } = this.deps;
    signal.throwIfAborted();
    const rules = await buckets.expiryWalks.rulesOf(bucketId);
    const bucket = rules && (await buckets.byId(bucketId));
    if (!bucket) return;
    let next: string | null = position;
    let deletions = 0;
    for (let n = 0; next !== null && n < SLICES_PER_TURN; n += 1) {
      signal.throwIfAborted();
      const slice = await this.readSlice(bucketId, rules, next);
      const deleting = forEachSettled(slice.expired, 1, (file) =>
        this.delete(bucket, file, signal),
      );
      const [result] = await Promise.allSettled([deleting]);
      signal.throwIfAborted();
      // The walk also goes on behind a file whose deletion fails, which has its next turn in the next walk.
      await buckets.expiryWalks.save(bucketId, rules, slice.next);
      if (result.status === 'rejected') throw result.reason;
      next = slice.next;
      deletions += slice.expired.length;
      if (deletions >= DELETIONS_PER_TURN) break;
    }
  }

  /** Returns which of the next files of a bucket have expired, and the path behind them; null behind the last one. */
  private async readSlice(
    bucketId: string,
    { rules }: WalkRules,
    position: string,
  ): Promise<{ expired: ListedFile[]; next: string | null }> {
    const { database, clock } = this.deps;
    const from = nextExpiryStart(rules, position);
    if (from === null) return { expired: [], next: null };
    const files = await filesFrom(database.db, bucketId, from, SLICE_ROWS);
    const now = clock();
    const last = files.at(-1);
    return {
      expired: files.filter((file) => file.file_type !== 'folder' && isExpiredBy(rules, file, now)),
      next: last && files.length === SLICE_ROWS ? behindPath(last.path) : null,
    };
  }

  private async delete(bucket: Bucket, { id }: ListedFile, signal: AbortSignal): Promise<void> {
    const { database, clock, buckets, deletion } = this.deps;
    signal.throwIfAborted();
    await database.transaction(async (tx) => {
      if (!(await buckets.contents.lock(tx, bucket.id))) return;
      // The file may have been moved or replaced since, and the rules changed.
      const rules = await buckets.expiryWalks.lockedRules(tx, bucket.id);
      const file = await fileById(tx, id);
      if (file?.bucket_id !== bucket.id || !isExpiredBy(rules, file, clock())) return;
      await deletion.deleteIn(tx, bucket, id, 'system');
    });
  }
}

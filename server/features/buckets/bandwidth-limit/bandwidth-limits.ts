import { endOfMonth } from '../../../contract/bandwidth-limit.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { recordBucketAudit } from '../audit.ts';
import type { BucketDependencies } from '../dependencies.ts';
import type { BucketRow } from '../tables.ts';
import { limitMail } from './limit-mails.ts';
import { decideLimit } from './limit-rules.ts';
import * as store from './limit-store.ts';

/** How many buckets one query reads, as both engines bound the number of its parameters. */
const CHECK_BATCH_SIZE = 500;

/**
 * Stops the delivery of buckets that have sent as much as their owners allow in a month. The bucket's
 * row says so, which delivery has in its cache, so that no request reads what was sent.
 */
export class BandwidthLimits {
  constructor(
    private readonly deps: Pick<
      BucketDependencies,
      'database' | 'clock' | 'queue' | 'bandwidthOf' | 'enqueueMail' | 'appUrl'
    > & {
      /** Makes the caches of all processes read a bucket again. */
      publishChange: (bucketId: string) => Promise<void>;
    },
  ) {}

  /**
   * Sets the bytes that a bucket may send in a month; null for no limit. Delivery stops or resumes
   * at once.
   */
  async set(userId: string, row: BucketRow, limit: number | null): Promise<BucketRow> {
    const { database, clock, bandwidthOf, publishChange } = this.deps;
    const used = (await bandwidthOf([row.id])).get(row.id) ?? 0;
    const limited = { ...row, bandwidth_limit: limit };
    const change = { bandwidth_limit: limit, ...decideLimit(limited, used, clock()).state };
    await database.transaction(async (tx) => {
      await store.setLimit(tx, row.id, change);
      await recordBucketAudit(tx, clock(), row, 'bandwidth-limit-changed', { userId });
    });
    await publishChange(row.id);
    return { ...row, ...change };
  }

  /** Warns the owners of buckets that have sent bytes, and stops the buckets, where a limit says so. */
  async check(bucketIds: string[]): Promise<void> {
    const { database, clock, bandwidthOf } = this.deps;
    for (let at = 0; at < bucketIds.length; at += CHECK_BATCH_SIZE) {
      const ids = bucketIds.slice(at, at + CHECK_BATCH_SIZE);
      const rows = await store.findLimited(database.db, ids);
      const sent = await bandwidthOf(rows.map(({ id }) => id));
      for (const row of rows) {
        const used = sent.get(row.id) ?? 0;
        if (decideLimit(row, used, clock()).notice) await this.apply(row.id, used);
      }
    }
  }

  private async apply(id: string, used: number): Promise<void> {
    const { database, queue, publishChange } = this.deps;
    const notice = await database.transaction((tx) => this.applyLocked(tx, id, used));
    if (!notice) return;
    queue.wake('mail');
    if (notice === 'reached') await publishChange(id);
  }

  /** Another process may have applied the limit, or its owner changed it, so it is decided again. */
  private async applyLocked(tx: Tx, id: string, used: number) {
    const { clock, enqueueMail, appUrl } = this.deps;
    const bucket = await store.lockLimited(tx, id);
    if (!bucket || bucket.bandwidth_limit === null) return null;
    const { state, notice } = decideLimit(bucket, used, clock());
    if (!notice) return null;
    await store.setLimit(tx, id, state);
    const { email: to, bandwidth_limit: limit } = bucket;
    const until = endOfMonth(clock());
    if (to) {
      const mail = limitMail(notice, { to, bucket, used, limit, until, appUrl });
      await enqueueMail(tx, { ...mail, isNotice: true });
    }
    return notice;
  }
}

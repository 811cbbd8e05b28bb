import type { Tx } from '../../../platform/db/port.ts';
import { recordBucketAudit } from '../audit.ts';
import type { BucketDeps } from '../bucket-deps.ts';
import type { BucketRow } from '../tables.ts';
import { limitMail } from './limit-mails.ts';
import { type BytesSent, decideLimits, type LimitNotice, type Limits } from './limit-rules.ts';
import * as store from './limit-store.ts';

/** How many buckets one query reads, as both engines bound the number of its parameters. */
const CHECK_BATCH_SIZE = 500;
const NOTHING_SENT: BytesSent = { day: 0, month: 0 };

/**
 * Stops the delivery of buckets that have sent as much as their owners allow in a day or a month. The bucket's
 * row says so, which delivery has in its cache, so that no request reads what was sent.
 */
export class BandwidthLimits {
  constructor(
    private readonly deps: Pick<
      BucketDeps,
      'database' | 'clock' | 'queue' | 'bandwidthOf' | 'bandwidthToday' | 'enqueueMail' | 'appUrl'
    > & {
      /** Makes the caches of all processes read a bucket again. */
      publishChange: (bucketId: string) => Promise<void>;
    },
  ) {}

  /**
   * Sets the bytes that a bucket may send in a month and in a day; null for no limit, and a limit that is
   * left out stays. Delivery stops or resumes at once.
   */
  async set(userId: string, row: BucketRow, limits: Partial<Limits>): Promise<BucketRow> {
    const { database, clock, publishChange } = this.deps;
    const [used = NOTHING_SENT] = await this.sentBy([row.id]);
    const limited = { ...row, ...limits };
    const change = { ...limits, ...decideLimits(limited, used, clock()).state };
    await database.transaction(async (tx) => {
      await store.setLimits(tx, row.id, change);
      await recordBucketAudit(tx, clock(), row, 'bandwidth-limit-changed', { userId });
    });
    await publishChange(row.id);
    return { ...row, ...change };
  }

  /** Warns the owners of buckets that have sent bytes, and stops the buckets, where a limit says so. */
  async check(bucketIds: string[]): Promise<void> {
    const { database, clock } = this.deps;
    for (let at = 0; at < bucketIds.length; at += CHECK_BATCH_SIZE) {
      const ids = bucketIds.slice(at, at + CHECK_BATCH_SIZE);
      const rows = await store.findLimited(database.db, ids);
      const sent = await this.sentBy(rows.map(({ id }) => id));
      for (const [index, row] of rows.entries()) {
        const used = sent[index] ?? NOTHING_SENT;
        if (decideLimits(row, used, clock()).notices.length > 0) await this.apply(row.id, used);
      }
    }
  }

  /** Returns what each of these buckets has sent, in their order. */
  private async sentBy(ids: string[]): Promise<BytesSent[]> {
    const [month, day] = await Promise.all([
      this.deps.bandwidthOf(ids),
      this.deps.bandwidthToday(ids),
    ]);
    return ids.map((id) => ({ month: month.get(id) ?? 0, day: day.get(id) ?? 0 }));
  }

  private async apply(id: string, used: BytesSent): Promise<void> {
    const { database, queue, publishChange } = this.deps;
    const notices = await database.transaction((tx) => this.applyLocked(tx, id, used));
    if (notices.length === 0) return;
    queue.wake('mail');
    if (notices.some(({ percent }) => percent === 100)) await publishChange(id);
  }

  /** Another process may have applied the limits, or their owner changed them, so they are decided again. */
  private async applyLocked(tx: Tx, id: string, used: BytesSent): Promise<LimitNotice[]> {
    const { clock, enqueueMail, appUrl } = this.deps;
    const bucket = await store.lockLimited(tx, id);
    if (!bucket) return [];
    const { state, notices } = decideLimits(bucket, used, clock());
    if (notices.length === 0) return [];
    await store.setLimits(tx, id, state);
    const { email: to } = bucket;
    if (!to) return notices;
    for (const notice of notices) {
      const mail = limitMail(notice, { to, bucket, used: used[notice.period], appUrl });
      await enqueueMail(tx, { ...mail, isNotice: true });
    }
    return notices;
  }
}

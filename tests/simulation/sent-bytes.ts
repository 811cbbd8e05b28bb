import type { Database } from '../../server/platform/db/port.ts';
import type { KnownFile } from './oracle.ts';

/** Bytes by the ids of files and of buckets. */
export type Counts = Map<string, number>;

/** Notes bytes of a file that were sent. */
export function addBytes(counts: Counts, { id, bucketId }: KnownFile, bytes: number): void {
  for (const key of [id, bucketId]) counts.set(key, (counts.get(key) ?? 0) + bytes);
}

/** Knows what was sent, and that each byte of it is counted once, except those that died with a process. */
export class SentBytes {
  readonly sent: Counts = new Map();
  private readonly uncertain: Counts = new Map();

  constructor(
    private readonly database: Database,
    private readonly fail: (text: string) => void,
  ) {}

  /** Notes that a process died with counts that it may not have written. */
  mayLose(counts: Counts): void {
    for (const [id, bytes] of counts) this.uncertain.set(id, (this.uncertain.get(id) ?? 0) + bytes);
  }

  /** @param isLive whether a file is there: the counts of a deleted one are deleted with it */
  async check(isLive: (fileId: string) => boolean): Promise<void> {
    const { db } = this.database;
    const files = await db
      .selectFrom('file_bandwidth')
      .select(({ fn }) => ['file_id as id', fn.sum<number>('bytes').as('bytes')])
      .groupBy('file_id')
      .execute();
    const buckets = await db
      .selectFrom('usage_days')
      .innerJoin('buckets', 'buckets.id', 'usage_days.bucket_id')
      .select(({ fn }) => ['buckets.id', fn.sum<number>('usage_days.bandwidth').as('bytes')])
      .groupBy('buckets.id')
      .execute();
    for (const counted of [...files.filter(({ id }) => isLive(id)), ...buckets])
      this.checkCount(counted);
    this.uncertain.clear();
  }

  private checkCount({ id, bytes }: { id: string; bytes: number }): void {
    const all = this.sent.get(id) ?? 0;
    const least = all - (this.uncertain.get(id) ?? 0);
    if (bytes > all || bytes < least)
      this.fail(`${bytes} bytes are counted of ${id}, ${least} to ${all} were sent`);
    this.sent.set(id, bytes);
  }
}

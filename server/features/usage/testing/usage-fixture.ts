import { sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { openMemoryEvents } from '../../../platform/events/memory.ts';
import { isId, newId, timeOf } from '../../../platform/ids.ts';
import type { Mail } from '../../../platform/mail/port.ts';
import { deriveKeys } from '../../../platform/secrets/secrets.ts';
import { Buckets, type Charges } from '../../buckets/service.ts';
import { openHours, Usage } from '../service.ts';
import type { UsageHourRow } from '../tables.ts';

const FREE: Charges = {
  requireCanCreateBucket: async () => {},
  closed: async () => {},
};

const NO_LIMITS = {
  maxBuckets: 1e9,
  maxOpenUploads: 1e9,
  maxOpenBytes: 1e15,
  maxBytes: null,
  trialMaxBytes: null,
};

/**
 * Opens buckets and their meters on a database, with one user and a clock that moves only by
 * `move`.
 */
export async function openUsageFixture(
  database: Database,
  startAt: number,
  chargesOf: (usage: Usage, clock: Clock) => Charges = () => FREE,
) {
  let now = startAt;
  const mails: Mail[] = [];
  const events = openMemoryEvents({ onError() {} });
  const clock = () => now;
  const usage = new Usage({
    database,
    clock,
    counts: { bytesOut: 0 },
    onSent: (bucketIds) => buckets.bandwidthLimits.check(bucketIds),
    onError(error) {
      throw error;
    },
  });
  const charges = chargesOf(usage, clock);
  const woken: string[] = [];
  const buckets = new Buckets({
    banRetentionDays: 30,
    database,
    keys: deriveKeys(Buffer.alloc(32, 7).toString('base64')),
    clock,
    events,
    queue: {
      add: async () => {},
      wake(...kinds) {
        woken.push(...kinds);
      },
    },
    async enqueueMail(_tx, mail) {
      if (mail) mails.push(mail);
      return '';
    },
    appUrl: 'https://wharf.example',
    checkHost: async () => {},
    meters: usage.meters,
    charges,
    limits: NO_LIMITS,
    hasAddedCredit: async () => true,
    bandwidthOf: (ids) => usage.bandwidthOf(ids),
    bandwidthToday: (ids) => usage.bandwidthToday(ids),
  });
  const makeUser = async (email: string) => {
    const id = newId(startAt);
    const user = { id, email, email_key: email, password_hash: '', created_at: startAt };
    await database.db
      .insertInto('users')
      .values({ ...user, status: 'active' })
      .execute();
    return id;
  };
  const userId = await makeUser('a@example.com');
  const createdAt = (fileId: string) => (isId(fileId) ? timeOf(fileId) : startAt);
  const ownerOf = async (bucketId: string) => {
    const bucket = await database.db
      .selectFrom('buckets')
      .select('user_id')
      .where('id', '=', bucketId)
      .executeTakeFirst();
    return bucket?.user_id ?? userId;
  };

  return {
    database,
    usage,
    buckets,
    events,
    /** The kinds of jobs that buckets have woken. */
    woken,
    mails,
    userId,
    makeUser,
    clock,
    move(ms: number) {
      now += ms;
    },
    /** Returns the hours of a bucket that are not charged yet, in order, with what is not folded yet. */
    hours: async (bucketId: string) => {
      const { rows } = await sql<UsageHourRow>`
        select user_id, bucket_id, hour, sum(bandwidth) as bandwidth, sum(uploaded) as uploaded,
          sum(stored_change) as stored_change, sum(stored_gib_ms) as stored_gib_ms,
          sum(stored_byte_ms) as stored_byte_ms
        from ${openHours} as hours where bucket_id = ${bucketId}
        group by user_id, bucket_id, hour
        having sum(bandwidth) <> 0 or sum(uploaded) <> 0 or sum(stored_change) <> 0
          or sum(stored_gib_ms) <> 0 or sum(stored_byte_ms) <> 0
        order by hour`.execute(database.db);
      return rows;
    },
    makeBucket: async () => (await buckets.create(userId, { name: 'Pictures' })).id,
    upload: async (bucketId: string, bytes: number, startedAt = now) => {
      const id = newId(startedAt);
      const bucket = { id: bucketId, user_id: await ownerOf(bucketId) };
      const content = { fileId: id, createdAt: startedAt, bytes };
      await database.batch(buckets.contents.uploadAdditions(bucket, content));
      return id;
    },
    /** Changes what is stored of a file, as processing and transforms do. */
    grow: (bucketId: string, fileId: string, bytes: number, isCurrent = true) =>
      database.transaction((tx) => {
        const change = { fileId, bytes, createdAt: createdAt(fileId), isCurrent };
        return buckets.contents.change(tx, bucketId, change);
      }),
    /** Moves a file to the trash, or with `isCurrent` out of it. */
    setCurrent: (bucketId: string, fileId: string, bytes: number, isCurrent: boolean) =>
      database.transaction((tx) => {
        const file = { fileId, bytes, createdAt: createdAt(fileId), isCurrent };
        return buckets.contents.currentChanged(tx, bucketId, file);
      }),
    purge: (bucketId: string, fileId: string, bytes: number) =>
      database.transaction((tx) =>
        buckets.contents.purge(tx, bucketId, { fileIds: [fileId], bytes }),
      ),
    remove: (bucketId: string, fileId: string, stored: number) =>
      database.transaction((tx) =>
        buckets.contents.remove(tx, bucketId, {
          fileId,
          bytes: stored,
          createdAt: createdAt(fileId),
        }),
      ),
  };
}

export type UsageFixture = Awaited<ReturnType<typeof openUsageFixture>>;

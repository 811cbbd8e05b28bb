import { sql } from 'kysely';
import { MAX_API_KEYS } from '../../contract/limits.ts';
import { notFound } from '../../errors.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { ListRange } from '../../platform/db/listing.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import { type Found, searched } from '../../platform/db/search.ts';
import { can } from '../access/can.ts';
import { ownerPrincipal } from '../access/principal.ts';
import type { ApiKeyRow } from './api-keys/tables.ts';
import { bucketBeingDeleted, bucketStatusOf, type OwnerState } from './bucket-status.ts';
import { bucketCounters } from './counters-store.ts';
import { lockBucket } from './lock-store.ts';
import type { BucketRow } from './tables.ts';

/** Selects buckets with the state of their owner, on which their status depends, and the ids of their named keys. */
const withOwner = (db: Executor) =>
  db
    .selectFrom('buckets')
    .leftJoin('users', 'users.id', 'buckets.user_id')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'buckets.user_id')
    .selectAll('buckets')
    .select(bucketCounters)
    .select(['users.status as owner_status', 'ledger_accounts.delivery_until'])
    .select(({ selectFrom }) =>
      selectFrom((of) =>
        of
          .selectFrom('api_keys')
          .select('api_keys.id')
          .whereRef('api_keys.bucket_id', '=', 'buckets.id')
          .whereRef('api_keys.id', '!=', 'api_keys.bucket_id')
          .limit(MAX_API_KEYS)
          .as('named'),
      )
        .select(sql<string | null>`string_agg(named.id, ',')`.as('ids'))
        .as('key_ids'),
    );

type KeyIds = {
  /** The ids of the API keys beside the primary one, with commas in between; null where there is none. */
  key_ids: string | null;
};

/** A bucket with the status that is in effect, and until when it is delivered if it is suspended. */
export type BucketWithStatus = BucketRow & Pick<OwnerState, 'delivery_until'> & KeyIds;

const withStatus = <Row extends BucketRow & OwnerState & KeyIds>({
  owner_status,
  ...row
}: Row) => ({
  ...row,
  status: bucketStatusOf({ ...row, owner_status }),
});

/** Inserts the row of a new bucket. */
export async function insertBucket(tx: Tx, bucket: BucketRow): Promise<void> {
  await tx.insertInto('buckets').values(bucket).execute();
  await tx
    .insertInto('bucket_stats')
    .values({ bucket_id: bucket.id, month: 0, bandwidth: 0, spend_month: 0, spend: 0 })
    .execute();
}

/**
 * Returns a page of a user's buckets, newest first. A search does without the index, which holds the names
 * of all users.
 */
export async function listBuckets(
  database: Database,
  userId: string,
  range: ListRange & { name?: string },
): Promise<Found<BucketWithStatus>> {
  const { db } = database;
  const ids = db.selectFrom('buckets').select('id').where('user_id', '=', userId);
  const search = { ...range, words: range.name, isIndexed: false };
  const found = await searched(database, 'buckets', { ids, rows: withOwner(db) }, search);
  return { ...found, rows: found.rows.map(withStatus) };
}

/** Returns a bucket by id, whoever owns it; undefined where there is none. */
export async function bucketById(db: Executor, id: string): Promise<BucketWithStatus | undefined> {
  const [row] = (await findById(db, { id })).rows;
  return row && withStatus(row);
}

const findById = prepareStatement((db, { id }: { id: string }) =>
  withOwner(db).where('buckets.id', '=', id).$call(inlineRead),
);

/** Returns the bucket of a user that S3 clients know by a name, whatever its status; undefined where there is none. */
export async function bucketByS3Name(
  db: Executor,
  userId: string,
  name: string,
): Promise<BucketWithStatus | undefined> {
  const [row] = (await findByS3Name(db, { userId, name })).rows;
  return row && withStatus(row);
}

const findByS3Name = prepareStatement((db, { userId, name }: { userId: string; name: string }) =>
  withOwner(db)
    .where('buckets.user_id', '=', userId)
    .where('buckets.s3_name', '=', name)
    .$call(inlineRead),
);

/**
 * Returns the bucket that people without a key of its account mean by a name: of those that have it, the one that had it
 * first, so that nobody takes over the addresses of another account. Undefined where there is none.
 */
export async function bucketByPublicS3Name(
  db: Executor,
  name: string,
): Promise<BucketWithStatus | undefined> {
  const [row] = (await findByPublicS3Name(db, { name })).rows;
  return row && withStatus(row);
}

const findByPublicS3Name = prepareStatement((db, { name }: { name: string }) =>
  withOwner(db)
    .where('buckets.s3_name', '=', name)
    .orderBy('buckets.s3_named_at')
    .orderBy('buckets.id')
    .limit(1)
    .$call(inlineRead),
);

/** Returns the names of buckets by their ids; of those that don't exist nothing. */
export async function bucketNames(db: Executor, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('buckets')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What the list of buckets for S3 clients shows. */
type S3BucketRow = Pick<BucketRow, 'id' | 's3_name' | 'created_at'>;

/** Returns the first buckets of a user that are not being deleted, in the order of their ids behind one. */
export async function s3BucketsOf(
  db: Executor,
  userId: string,
  { after, limit }: { after: string; limit: number },
): Promise<S3BucketRow[]> {
  return db
    .selectFrom('buckets')
    .select(['id', 's3_name', 'created_at'])
    .where('user_id', '=', userId)
    .where('status', '!=', 'deleting')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** A bucket and one of its API keys. */
export type BucketOfKey = {
  bucket: BucketWithStatus;
  key: Pick<ApiKeyRow, 'id' | 'scope' | 'expires_at' | 'last_used_at'>;
};

/** Returns the bucket and the API key that has one of these hashes; undefined where there is none. */
export async function bucketByKeyHash(
  db: Executor,
  hashes: string[],
): Promise<BucketOfKey | undefined> {
  for (const hash of hashes) {
    const [found] = (await findByKeyHash(db, { hash })).rows;
    if (!found) continue;
    const { key_id, key_scope, key_expires_at, key_last_used_at, ...row } = found;
    return {
      bucket: withStatus(row),
      key: {
        id: key_id,
        scope: key_scope,
        expires_at: key_expires_at,
        last_used_at: key_last_used_at,
      },
    };
  }
  return undefined;
}

const findByKeyHash = prepareStatement((db, { hash }: { hash: string }) =>
  withOwner(db)
    .innerJoin('api_keys', 'api_keys.bucket_id', 'buckets.id')
    .select([
      'api_keys.id as key_id',
      'api_keys.scope as key_scope',
      'api_keys.expires_at as key_expires_at',
      'api_keys.last_used_at as key_last_used_at',
    ])
    .where('api_keys.key_hash', '=', hash)
    .$call(inlineRead),
);

/** Revokes all tokens of a bucket, because its primary key is replaced. */
export async function revokeTokens(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('buckets')
    .set((row) => ({ key_version: row('key_version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/**
 * Marks a bucket as being deleted, once what is being uploaded to it is committed. Returns false where it is already, or
 * does not exist.
 */
export async function markDeleting(tx: Tx, id: string): Promise<boolean> {
  await lockBucket(tx, id);
  const result = await tx
    .updateTable('buckets')
    // Its name can be given to another bucket at once.
    .set({ status: 'deleting', s3_name: null, s3_named_at: null, has_source: 0 })
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/**
 * Bans a bucket at a time in epoch milliseconds, once what is being uploaded to it is committed, or lifts the ban with
 * null. Returns false where that changes nothing.
 */
export async function setBanned(tx: Tx, id: string, at: number | null): Promise<boolean> {
  await lockBucket(tx, id);
  const result = await tx
    .updateTable('buckets')
    .set({ banned_at: at })
    .where('id', '=', id)
    .where('banned_at', at === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Deletes the row of a bucket and its documents. */
export async function deleteBucket(tx: Executor, id: string): Promise<void> {
  await tx.deleteFrom('bucket_documents').where('bucket_id', '=', id).execute();
  await tx.deleteFrom('buckets').where('id', '=', id).execute();
}

/** Returns the row of a user's bucket. Throws not-found, also for another user's bucket. */
export async function requireOwnedBucket(
  db: Executor,
  userId: string,
  id: string,
): Promise<BucketWithStatus> {
  const row = await bucketById(db, id);
  if (!row || can(ownerPrincipal(userId), 'view-bucket', row)) throw notFound('Bucket');
  return row;
}

/** Returns the row of a user's bucket that is not being deleted. Throws not-found, conflict. */
export async function requireChangeableBucket(
  db: Executor,
  userId: string,
  id: string,
): Promise<BucketWithStatus> {
  const row = await requireOwnedBucket(db, userId, id);
  if (can(ownerPrincipal(userId), 'change-bucket', row)) throw bucketBeingDeleted();
  return row;
}

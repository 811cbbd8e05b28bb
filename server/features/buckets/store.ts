import { holdsWords, type ListRange, paged } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { BucketRow } from '../../platform/db/tables.ts';
import { type BucketState, bucketStatusOf } from './bucket-status.ts';

/** Rows with the status that they have in effect. */
const placed = (db: Executor) =>
  db
    .selectFrom('buckets')
    .leftJoin('users', 'users.id', 'buckets.user_id')
    .selectAll('buckets')
    .select('users.status as owner_status');

const standing = ({ owner_status, ...row }: BucketRow & BucketState): BucketRow => ({
  ...row,
  status: bucketStatusOf({ ...row, owner_status }),
});

export async function insertBucket(db: Executor, bucket: BucketRow): Promise<void> {
  await db.insertInto('buckets').values(bucket).execute();
}

export async function listBuckets(
  db: Executor,
  userId: string,
  range: ListRange & { name?: string },
): Promise<BucketRow[]> {
  let query = placed(db).where('user_id', '=', userId);
  if (range.name) query = query.where(holdsWords(range.name, 'name_key'));
  return (await paged(query, 'buckets', range).execute()).map(standing);
}

export async function bucketById(db: Executor, id: string): Promise<BucketRow | undefined> {
  const row = await placed(db).where('buckets.id', '=', id).executeTakeFirst();
  return row && standing(row);
}

export async function bucketByKeyMac(db: Executor, mac: string): Promise<BucketRow | undefined> {
  const row = await placed(db).where('api_key_mac', '=', mac).executeTakeFirst();
  return row && standing(row);
}

export async function renameBucket(
  db: Executor,
  id: string,
  change: Pick<BucketRow, 'name' | 'name_key' | 'webhook' | 'webhook_disabled_at'>,
): Promise<void> {
  await db.updateTable('buckets').set(change).where('id', '=', id).execute();
}

export async function setTransforms(
  db: Executor,
  id: string,
  transforms: BucketRow['transforms'],
): Promise<void> {
  await db.updateTable('buckets').set({ transforms }).where('id', '=', id).execute();
}

/** Puts a new key in the old one's place, and kills all tokens of the bucket. */
export async function replaceKey(
  db: Executor,
  id: string,
  columns: Pick<BucketRow, 'api_key_sealed' | 'api_key_mac'>,
): Promise<void> {
  await db
    .updateTable('buckets')
    .set((row) => ({ ...columns, key_version: row('key_version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** False where it is being deleted already, or gone. */
export async function markDeleting(tx: Executor, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('buckets')
    .set({ status: 'deleting' })
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Adds to what the bucket holds, and answers what it holds then; undefined where it is gone. */
export async function addToBucket(
  tx: Tx,
  id: string,
  more: { bytes: number; files: number },
): Promise<number | undefined> {
  const row = await tx
    .updateTable('buckets')
    .set((row) => ({
      usage: row('usage', '+', more.bytes),
      total_uploads: row('total_uploads', '+', more.files),
    }))
    .where('id', '=', id)
    .returning('usage')
    .executeTakeFirst();
  return row?.usage;
}

/** The same for a file that is coming in; undefined where the bucket is banned, gone or going. */
export async function receiveFile(tx: Tx, id: string, bytes: number): Promise<number | undefined> {
  const row = await tx
    .updateTable('buckets')
    .set((row) => ({
      usage: row('usage', '+', bytes),
      total_uploads: row('total_uploads', '+', 1),
    }))
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .where('banned_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users')
          .select('users.id')
          .whereRef('users.id', '=', 'buckets.user_id')
          .where('users.status', '=', 'active'),
      ),
    )
    .returning('usage')
    .executeTakeFirst();
  return row?.usage;
}

/** Bans a bucket, or with null lifts the ban; false where that changes nothing. */
export async function setBanned(tx: Tx, id: string, at: number | null): Promise<boolean> {
  const result = await tx
    .updateTable('buckets')
    .set({ banned_at: at })
    .where('id', '=', id)
    .where('banned_at', at === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

export async function totalsOf(db: Executor, userId: string) {
  return db
    .selectFrom('buckets')
    .select((row) => [
      row.fn.countAll<number>().as('buckets'),
      row.fn.coalesce(row.fn.sum<number>('total_uploads'), row.lit(0)).as('files'),
      row.fn.coalesce(row.fn.sum<number>('usage'), row.lit(0)).as('bytes'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
}

export async function markAllDeleting(tx: Executor, userId: string): Promise<void> {
  await tx
    .updateTable('buckets')
    .set({ status: 'deleting' })
    .where('user_id', '=', userId)
    .execute();
}

export async function suspendAll(tx: Tx, userId: string, since: number): Promise<string[]> {
  const rows = await tx
    .updateTable('buckets')
    .set({ status: 'suspended', suspended_at: since })
    .where('user_id', '=', userId)
    .where('status', '=', 'running')
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

export async function resumeAll(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .updateTable('buckets')
    .set({ status: 'running', suspended_at: null })
    .where('user_id', '=', userId)
    .where('status', '=', 'suspended')
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Nobody else can change them until the transaction ends. */
export async function suspendedOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .updateTable('buckets')
    .set((bucket) => ({ status: bucket.ref('status') }))
    .where('user_id', '=', userId)
    .where('status', '=', 'suspended')
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

export async function idsOfUser(db: Executor, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('buckets').select('id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.id);
}

export async function deleteBucket(tx: Executor, id: string): Promise<void> {
  await tx.deleteFrom('buckets').where('id', '=', id).execute();
}

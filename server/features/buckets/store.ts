import { holdsWords, type ListRange, paged } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { BucketRow } from '../../platform/db/tables.ts';

export async function insertBucket(db: Executor, bucket: BucketRow): Promise<void> {
  await db.insertInto('buckets').values(bucket).execute();
}

export async function listBuckets(
  db: Executor,
  userId: string,
  range: ListRange & { name?: string },
): Promise<BucketRow[]> {
  let query = db.selectFrom('buckets').selectAll().where('user_id', '=', userId);
  if (range.name) query = query.where(holdsWords(range.name, 'name_key'));
  return paged(query, 'buckets', range).execute();
}

export async function bucketById(db: Executor, id: string): Promise<BucketRow | undefined> {
  return db.selectFrom('buckets').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function bucketByKeyMac(db: Executor, mac: string): Promise<BucketRow | undefined> {
  return db.selectFrom('buckets').selectAll().where('api_key_mac', '=', mac).executeTakeFirst();
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

export async function markDeleting(tx: Executor, id: string): Promise<void> {
  await tx.updateTable('buckets').set({ status: 'deleting' }).where('id', '=', id).execute();
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

/** The same for a file that is coming in; undefined where the bucket is gone or going. */
export async function receiveFile(tx: Tx, id: string, bytes: number): Promise<number | undefined> {
  const row = await tx
    .updateTable('buckets')
    .set((row) => ({
      usage: row('usage', '+', bytes),
      total_uploads: row('total_uploads', '+', 1),
    }))
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .returning('usage')
    .executeTakeFirst();
  return row?.usage;
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

export async function suspendedOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('buckets')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'suspended')
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

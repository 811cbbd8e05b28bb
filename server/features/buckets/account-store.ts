import type { Executor, Tx } from '../../platform/db/port.ts';

/** How many buckets a user has, and how many files and bytes are in them. */
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

/** Marks all buckets of a user as being deleted. */
export async function markAllDeleting(tx: Executor, userId: string): Promise<void> {
  await tx
    .updateTable('buckets')
    .set({ status: 'deleting' })
    .where('user_id', '=', userId)
    .execute();
}

/** Suspends a user's running buckets, and returns their ids. `since` is in epoch milliseconds. */
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

/** Resumes a user's suspended buckets, and returns their ids. */
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

/** The ids of a user's suspended buckets. The update changes nothing, but locks the rows until the transaction ends. */
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

/** The ids of all buckets of a user. */
export async function idsOfUser(db: Executor, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('buckets').select('id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.id);
}

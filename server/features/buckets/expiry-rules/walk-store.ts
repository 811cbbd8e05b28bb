import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { BucketRow } from '../tables.ts';

/** Returns the buckets whose files are due to be looked through, the one that has waited longest first. */
export async function dueWalks(
  db: Executor,
  now: number,
  limit: number,
): Promise<Pick<BucketRow, 'id' | 'expiry_position'>[]> {
  return db
    .selectFrom('buckets')
    .select(['id', 'expiry_position'])
    .where('expiry_due_at', 'is not', null)
    .where('expiry_due_at', '<=', now)
    .orderBy('expiry_due_at')
    .orderBy('id')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}

/** Returns the rules of a bucket as their column; null where it has none or is being deleted. */
export async function expiryRulesOf(tx: Executor, id: string): Promise<string | null> {
  const row = await tx
    .selectFrom('buckets')
    .select('expiry_rules')
    .where('id', '=', id)
    .where('status', '!=', 'deleting')
    .executeTakeFirst();
  return row?.expiry_rules ?? null;
}

/** Stores how far the search in a bucket is, unless its rules have changed since, with which it begins again. */
export async function saveWalk(
  db: Executor | Tx,
  id: string,
  {
    rules,
    ...walk
  }: { rules: string } & Pick<BucketRow, 'expiry_position'> & { expiry_due_at: number },
): Promise<void> {
  await db
    .updateTable('buckets')
    .set(walk)
    .where('id', '=', id)
    .where('expiry_rules', '=', rules)
    .execute();
}

/** Ends the search in a bucket without rules, or that is being deleted. */
export async function endWalk(db: Executor, id: string): Promise<void> {
  await db
    .updateTable('buckets')
    .set({ expiry_due_at: null })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('status', '=', 'deleting'), eb('expiry_rules', 'is', null)]))
    .execute();
}

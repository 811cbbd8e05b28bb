import { sql } from 'kysely';
import type { Statement } from '../db/batch.ts';
import { deleteRows, olderThan } from '../db/delete-rows.ts';
import type { Database, Executor } from '../db/port.ts';
import { prepareStatement } from '../db/prepare-statement.ts';
import { firstIdAt } from '../ids.ts';
import type { AuditAddressRow, AuditRow } from './tables.ts';

/** Returns the statement that inserts an entry of the audit log. Triggers in the database reject later changes to it. */
export const entryInsertion = (db: Executor, entry: AuditRow): Statement => ({
  query: insertEntry.query(db, entry),
});

const insertEntry = prepareStatement((db, entry: AuditRow) =>
  db.insertInto('audit_log').values(entry),
);

/** Keeps the address that an account has until now, for the entries from before. */
export async function insertFormerAddress(tx: Executor, address: AuditAddressRow): Promise<void> {
  await tx.insertInto('audit_addresses').values(address).execute();
}

/** Returns the former addresses of accounts, oldest first. */
export async function formerAddresses(db: Executor, userIds: string[]): Promise<AuditAddressRow[]> {
  return db
    .selectFrom('audit_addresses')
    .selectAll()
    .where('user_id', 'in', userIds)
    .orderBy('until')
    .execute();
}

/**
 * Deletes entries from before `before` (epoch milliseconds). A trigger rejects deleting any entry above the
 * floor, so the floor is raised first. Addresses that no younger entry can have go too.
 */
export async function trimAudit(
  { db }: Database,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  await db.updateTable('audit_floor').set({ before }).where('before', '<', before).execute();
  const where = sql`id < ${firstIdAt(before)} and created_at < ${before}`;
  await deleteRows(db, 'audit_log', { where, orderBy: sql`id` }, signal);
  await deleteRows(db, 'audit_addresses', olderThan('until', before), signal);
}

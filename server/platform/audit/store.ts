import { sql } from 'kysely';
import { deleteRows } from '../db/delete-rows.ts';
import type { Database, Executor } from '../db/port.ts';
import { firstIdAt } from '../ids.ts';
import type { AuditRow } from './tables.ts';

/** Inserts an entry of the audit log. Triggers in the database reject later changes to it. */
export async function insertEntry(tx: Executor, entry: AuditRow): Promise<void> {
  await tx.insertInto('audit_log').values(entry).execute();
}

/**
 * Deletes entries from before `before` (epoch milliseconds). A trigger rejects deleting any entry above the
 * floor, so the floor is raised first.
 */
export async function trimAudit(
  { db }: Database,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  await db.updateTable('audit_floor').set({ before }).where('before', '<', before).execute();
  const where = sql`id < ${firstIdAt(before)} and created_at < ${before}`;
  await deleteRows(db, 'audit_log', { where, orderBy: sql`id` }, signal);
}

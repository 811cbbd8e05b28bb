import type { Database, Executor } from '../db/port.ts';
import { firstIdAt } from '../ids.ts';
import type { AuditRow } from './tables.ts';

/** Inserts an entry of the audit log. Triggers in the database reject later changes to it. */
export async function insertEntry(tx: Executor, entry: AuditRow): Promise<void> {
  await tx.insertInto('audit_log').values(entry).execute();
}

/** Rows deleted in one transaction, so that other writers get their turn in between. */
const BATCH_SIZE = 1000;

/**
 * Deletes entries from before `before` (epoch milliseconds). A trigger rejects deleting any entry above the
 * floor, so the floor is raised first.
 */
export async function trimAudit(database: Database, before: number): Promise<void> {
  for (;;) {
    const removed = await database.transaction(async (tx) => {
      await tx.updateTable('audit_floor').set({ before }).where('before', '<', before).execute();
      const old = tx
        .selectFrom('audit_log')
        .select('id')
        .where('id', '<', firstIdAt(before))
        .where('created_at', '<', before)
        .limit(BATCH_SIZE);
      const { numDeletedRows } = await tx
        .deleteFrom('audit_log')
        .where('id', 'in', old)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
    if (removed < BATCH_SIZE) return;
  }
}

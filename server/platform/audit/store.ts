import type { Database, Executor } from '../db/port.ts';
import { firstIdAt } from '../ids.ts';
import type { AuditRow } from './tables.ts';

/** Inserts an entry of the audit log. Nothing changes the row afterwards; the database sees to that. */
export async function insertEntry(tx: Executor, entry: AuditRow): Promise<void> {
  await tx.insertInto('audit_log').values(entry).execute();
}

/** Rows of one transaction: others want to write in between. */
const BATCH = 1000;

/** Removes what is older than `before`, epoch milliseconds: only here the log allows it. */
export async function trimAudit(database: Database, before: number): Promise<void> {
  for (;;) {
    const removed = await database.transaction(async (tx) => {
      await tx.updateTable('audit_floor').set({ before }).where('before', '<', before).execute();
      const old = tx
        .selectFrom('audit_log')
        .select('id')
        .where('id', '<', firstIdAt(before))
        .where('created_at', '<', before)
        .limit(BATCH);
      const { numDeletedRows } = await tx
        .deleteFrom('audit_log')
        .where('id', 'in', old)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    });
    if (removed < BATCH) return;
  }
}

import { MINUTE } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { areDeletionsPaused } from '../../platform/storage/deletion-pause-store.ts';
import type { AuditSources, Finding } from './finding.ts';
import * as store from './store.ts';

/** The sweep comes several times a minute; a large one takes its time, and its storage may be away. */
const GRACE = 5 * MINUTE;

/** Yields the pending deletes that are overdue. */
export async function* findOverdue(
  { database: { db } }: AuditSources,
  clock: Clock,
): AsyncGenerator<Finding> {
  const now = clock();
  if (await areDeletionsPaused(db, now)) return;
  for await (const { prefix, not_before } of store.findDueDeletes(db, now - GRACE)) {
    const since = new Date(Math.abs(not_before)).toISOString();
    const state =
      not_before > 0 ? `due for deletion since ${since}` : `being deleted since ${since}`;
    yield { kind: 'overdue', subject: prefix, text: `${state}, still stored` };
  }
}

import { MINUTE } from '../contract/limits.ts';
import type { Clock } from '../platform/clock.ts';
import { isHeld } from '../platform/objects/hold.ts';
import type { AuditSources, Finding } from './finding.ts';
import * as store from './store.ts';

/** The sweep comes several times a minute; a large one takes its time. */
const GRACE = 5 * MINUTE;
/** For a prefix that is being removed at this moment: one that is large, or whose storage was away just now. */
const PATIENCE = 2 * MINUTE;
const LOOK_EVERY = 100;

/** Doomed prefixes that no sweep has removed in time. */
export async function* findOverdue(
  { database: { db } }: AuditSources,
  clock: Clock,
): AsyncGenerator<Finding> {
  if (await isHeld(db, clock())) return;
  const deadline = clock() + PATIENCE;
  for await (const { prefix, not_before } of store.dueDoomed(db, clock() - GRACE)) {
    // 0 says that a sweep has begun with it, but not when.
    while (not_before === 0 && clock() < deadline && (await store.isClaimed(db, prefix))) {
      await Bun.sleep(LOOK_EVERY);
    }
    if (not_before === 0 && !(await store.isClaimed(db, prefix))) continue;
    const since =
      not_before === 0 ? 'being removed' : `to go since ${new Date(not_before).toISOString()}`;
    yield { kind: 'overdue', subject: prefix, text: `${since}, and still there` };
  }
}

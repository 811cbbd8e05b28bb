import type { ExpiryRule } from '../../../contract/files/expiry-rules.ts';
import { HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { parseExpiryRules } from './rules.ts';
import * as store from './walk-store.ts';

/** A walk reads every file of a prefix, so it is not begun again at once. */
const WALK_INTERVAL_MS = 6 * HOUR;

/** A search for the expired files of a bucket, and the path from which it goes on. */
export type ExpiryWalk = { bucketId: string; position: string };

/** The rules of a walk, in one text to know them by. */
export type WalkRules = { column: string; rules: ExpiryRule[] };

/** Keeps in which buckets expired files are searched, and how far each search is. */
export class ExpiryWalks {
  constructor(private readonly deps: { database: Database; clock: Clock }) {}

  /** Returns at most `limit` walks that are due, the one that has waited longest first. */
  async due(limit: number): Promise<ExpiryWalk[]> {
    const { database, clock } = this.deps;
    const rows = await store.dueWalks(database.db, clock(), limit);
    return rows.map(({ id, expiry_position }) => ({ bucketId: id, position: expiry_position }));
  }

  /** Returns the rules of a bucket, and ends its walk where it has none or is being deleted. */
  async rulesOf(bucketId: string): Promise<WalkRules | null> {
    const { db } = this.deps.database;
    const column = await store.expiryRulesOf(db, bucketId);
    if (column !== null) return { column, rules: parseExpiryRules(column) };
    await store.endWalk(db, bucketId);
    return null;
  }

  /** Returns the rules of a bucket whose row is locked; none where it is being deleted. */
  async lockedRules(tx: Tx, bucketId: string): Promise<ExpiryRule[]> {
    return parseExpiryRules(await store.expiryRulesOf(tx, bucketId));
  }

  /**
   * Stores that a walk goes on from `position` once all others that are due had their turn, or with null that it has
   * ended. Does nothing where the rules of the bucket have changed since.
   */
  async save(bucketId: string, rules: WalkRules, position: string | null): Promise<void> {
    const { database, clock } = this.deps;
    await store.saveWalk(database.db, bucketId, {
      rules: rules.column,
      expiry_position: position ?? '',
      expiry_due_at: clock() + (position === null ? WALK_INTERVAL_MS : 0),
    });
  }
}

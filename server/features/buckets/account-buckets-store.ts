import { sql } from 'kysely';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import { unfoldedBytes, unfoldedFiles } from './counters-store.ts';
import { lockBucketsOf } from './lock-store.ts';

const sumTotals = prepareStatement((db, { userId }: { userId: string }) =>
  db
    .selectFrom('account_totals')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<number>('buckets'), lit(0)).as('buckets'),
      sql<number>`${fn.coalesce(fn.sum<number>('files'), lit(0))} + ${unfoldedFiles(userId)}`.as(
        'files',
      ),
      sql<number>`${fn.coalesce(fn.sum<number>('bytes'), lit(0))} + ${unfoldedBytes(userId)}`.as(
        'bytes',
      ),
    ])
    .where('user_id', '=', userId),
);

/** All buckets of an account together, for what happens to the account as a whole. */
export class AccountBuckets {
  constructor(private readonly database: Database) {}

  /** Counts the buckets of a user, and the files and bytes in them. */
  async totals(userId: string, db: Executor = this.database.db) {
    const { rows } = await sumTotals(db, { userId });
    return rows[0] ?? { buckets: 0, files: 0, bytes: 0 };
  }

  /** Returns the ids of a user's buckets. */
  async idsOf(userId: string): Promise<string[]> {
    const { db } = this.database;
    const rows = await db
      .selectFrom('buckets')
      .select('id')
      .where('user_id', '=', userId)
      .execute();
    return rows.map((row) => row.id);
  }

  /**
   * Marks the buckets of a user as being deleted. They refuse everything until their rows are
   * deleted.
   */
  async markDeleting(tx: Tx, userId: string): Promise<void> {
    await lockBucketsOf(tx, userId);
    await tx
      .updateTable('buckets')
      .set({ status: 'deleting' })
      .where('user_id', '=', userId)
      .execute();
  }

  /**
   * Returns accounts with buckets that were banned before a time in epoch milliseconds. Where nobody was, this is
   * known on the event loop, so that it starts no thread.
   */
  async findBanned(before: number, limit: number): Promise<string[]> {
    const anyone = await this.database.db
      .selectFrom('users')
      .select('id')
      .where('banned_at', '<', before)
      .limit(1)
      .$call(inlineRead)
      .executeTakeFirst();
    if (!anyone) return [];
    const rows = await this.database.db
      .selectFrom('users')
      .select('id')
      .where('banned_at', '<', before)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('buckets')
            .select('buckets.id')
            .whereRef('buckets.user_id', '=', 'users.id')
            .where('buckets.status', '!=', 'deleting'),
        ),
      )
      .orderBy('banned_at')
      .limit(limit)
      .execute();
    return rows.map((row) => row.id);
  }

  /** Locks a user's row until the transaction ends, and returns whether they were banned before a time. */
  async lockBanned(tx: Tx, userId: string, before: number): Promise<boolean> {
    const row = await tx
      .updateTable('users')
      .set((user) => ({ status: user.ref('status') }))
      .where('id', '=', userId)
      .where('banned_at', '<', before)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }
}

import { sql } from 'kysely';
import { runStatements } from '../../../server/platform/db/batch.ts';
import type { Database } from '../../../server/platform/db/port.ts';
import { allowTransactionAwaits } from './transaction-awaits.ts';

export type GatedDatabase = Database & {
  /**
   * Overlaps two calls: the first transaction of `first` commits only when `second` has ended, or waits
   * for a lock. Returns both outcomes. Throws where `first` has no transaction that gets so far.
   */
  overlap<First, Second>(
    first: () => Promise<First>,
    second: () => Promise<Second>,
  ): Promise<[PromiseSettledResult<First>, PromiseSettledResult<Second>]>;
};

/** Wraps a database so that a test decides in which order two transactions read and commit. */
export function gated(database: Database): GatedDatabase {
  let beforeCommit: (() => Promise<void>) | null = null;
  let began = () => {};

  /** SQLite has one writer, so whoever begins a transaction waits. PostgreSQL lists who waits. */
  const untilBlocked = (second: Promise<unknown>, hasBegun: Promise<void>) => {
    const end = second.then(
      () => {},
      () => {},
    );
    return database.engine === 'sqlite'
      ? Promise.race([end, hasBegun])
      : waitForLock(database, end);
  };

  const transaction: Database['transaction'] = (work) => {
    const gate = beforeCommit;
    beforeCommit = null;
    if (!gate) {
      began();
      return database.transaction(work);
    }
    return database.transaction(async (tx) => {
      const result = await work(tx);
      await gate();
      return result;
    });
  };

  return {
    ...database,
    transaction,
    batch: (statements) => transaction((tx) => runStatements(tx, statements)),
    async overlap(first, second) {
      const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
      let running: ReturnType<typeof second> | undefined;
      beforeCommit = () => {
        began = resolve;
        running ??= second();
        return untilBlocked(running, hasBegun);
      };
      const [one] = await allowTransactionAwaits(() => Promise.allSettled([first()]));
      if (!running) throw new Error('The first call has no transaction that commits.');
      const [two] = await Promise.allSettled([running]);
      return [one, two];
    },
  };
}

/** Resolves when a session of a PostgreSQL database waits for a lock, or `end` has resolved. */
async function waitForLock({ db }: Database, end: Promise<void>): Promise<void> {
  let hasEnded = false;
  const ended = end.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const { rows } = await sql`
      select 1 from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`.execute(db);
    if (rows.length > 0) return;
    await Promise.race([ended, Bun.sleep(5)]);
  }
}

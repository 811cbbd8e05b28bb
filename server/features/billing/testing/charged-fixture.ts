import { SECOND } from '../../../contract/limits.ts';
import { upstreamUnavailable } from '../../../errors.ts';
import type { Database } from '../../../platform/db/port.ts';
import { openUsageFixture } from '../../usage/testing/usage-fixture.ts';
import { AccountClosing } from '../charging/account-closing.ts';
import { DailyCharging } from '../charging/daily-charging.ts';
import { balanceAt } from '../charging/ongoing-balance.ts';
import { lockAccount } from '../ledger/ledger.ts';

export const START = Date.parse('2026-01-30T22:30:00.000Z');
export const PRICES = { storage: 0.03, bandwidth: 0.005, upload: 0.005 };

/**
 * Returns the database of a process that is killed at its `n`-th transaction; earlier commits stay.
 */
export function killedAt(database: Database, n: number): Database {
  let remaining = n;
  return {
    ...database,
    async transaction(work) {
      if (remaining-- <= 0) throw new Error('killed');
      return database.transaction(work);
    },
  };
}

/**
 * Returns a database that can become unavailable. Its queries then fail as those of the real
 * adapter do.
 */
export function failingWhile(database: Database, isUnavailable: () => boolean): Database {
  const query = <Asked>(what: () => Asked): Asked => {
    if (isUnavailable())
      throw upstreamUnavailable(new Error('the connection broke'), 'The database is away.', SECOND);
    return what();
  };
  return {
    ...database,
    db: new Proxy(database.db, {
      get: (db, name) => query(() => Reflect.get(db, name).bind(db)),
    }),
    transaction: async (work) => query(() => database.transaction(work)),
    batch: async (statements) => query(() => database.batch(statements)),
  };
}

export async function openCharged(database: Database) {
  const state: { charges?: DailyCharging } = {};
  const fixture = await openUsageFixture(database, START, (_usage, clock) => {
    state.charges = new DailyCharging({ database, clock, prices: PRICES });
    return state.charges;
  });
  const { usage, clock, userId } = fixture;
  /** Creates another process, or this one after a restart, with other prices if they are given. */
  const another = (prices = PRICES, on = database) =>
    new DailyCharging({ database: on, clock, prices });
  const charges = state.charges ?? another();
  await charges.start();
  await database.transaction((tx) => lockAccount(tx, userId));
  const entries = () =>
    database.db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('seq')
      .execute();
  return {
    ...fixture,
    charges,
    another,
    closing: new AccountClosing({ database, clock }),
    entries,
    amounts: async () => (await entries()).map(({ amount }) => amount),
    /** Returns the parts of a bucket in the charges, in micro-USD, in order. */
    parts: async (bucketId: string) =>
      (
        await database.db
          .selectFrom('charge_days')
          .selectAll()
          .where('bucket_id', '=', bucketId)
          .orderBy('day')
          .execute()
      ).map(({ storage, bandwidth, upload }) => storage + bandwidth + upload),
    /** Returns the balance with all that is used up to now. */
    balance: () => balanceAt(database.db, userId, clock()),
    months: () =>
      database.db
        .selectFrom('charge_months')
        .selectAll()
        .orderBy('month')
        .orderBy('storage', 'desc')
        .execute(),
    async send(bucketId: string, bytes: number) {
      usage.counterOf(bucketId, 'f')(bytes);
      await usage.flush();
    },
  };
}

import { SECOND } from '../../../contract/limits.ts';
import { upstreamUnavailable } from '../../../errors.ts';
import type { Database } from '../../../platform/db/port.ts';
import { openUsageFixture } from '../../usage/testing/usage-fixture.ts';
import { HourlyCharging } from '../charging/hourly-charging.ts';

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
  };
}

export async function openCharged(database: Database) {
  const state: { charges?: HourlyCharging } = {};
  const fixture = await openUsageFixture(database, START, (usage, clock) => {
    state.charges = new HourlyCharging({ database, clock, usage, prices: PRICES });
    return state.charges;
  });
  const { usage, clock } = fixture;
  /** Creates another process, or this one after a restart, with other prices if they are given. */
  const another = (prices = PRICES, on = database) =>
    new HourlyCharging({ database: on, clock, usage, prices });
  const charges = state.charges ?? another();
  await charges.start({ isOnlyProcess: true });
  const entries = (bucketId: string) =>
    database.db
      .selectFrom('ledger_entries')
      .selectAll()
      .where('bucket_id', '=', bucketId)
      .orderBy('seq')
      .execute();
  return {
    ...fixture,
    charges,
    another,
    entries,
    amounts: async (bucketId: string) => (await entries(bucketId)).map(({ amount }) => amount),
    months: () => database.db.selectFrom('charge_months').selectAll().orderBy('month').execute(),
    async send(bucketId: string, bytes: number) {
      usage.counterOf(bucketId, 'f')(bytes);
      await usage.flush();
    },
  };
}

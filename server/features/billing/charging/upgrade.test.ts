import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { freshDatabase } from '../../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../../tests/support/services/postgres.ts';
import { DAY, GIB, HOUR, MINUTE } from '../../../contract/limits.ts';
import { migrate } from '../../../platform/db/migrate.ts';
import { migrations } from '../../../platform/db/migrations/index.ts';
import type { Database } from '../../../platform/db/port.ts';
import { openPostgres } from '../../../platform/db/postgres.ts';
import { openSqlite } from '../../../platform/db/sqlite/open.ts';
import { PRICES } from '../testing/charged-fixture.ts';
import { DailyCharging } from './daily-charging.ts';
import { balanceAt } from './ongoing-balance.ts';

const postgres = await startPostgres();
const folder = await mkdtemp(join(tmpdir(), 'wharf-charges-'));
afterAll(() => rm(folder, { recursive: true }));

const DAY_START = Date.parse('2026-03-10T00:00:00.000Z');
const NOON = DAY_START + 12 * HOUR;
const BYTES = 144 * GIB;
/** The stored GiB × milliseconds of a whole hour, which cost 6,000 micro-USD. */
const HOUR_STORED = 144 * HOUR;

/** Fills the tables of the hourly charges, which have charged everything until noon. */
async function fillOlder({ db }: Database) {
  await sql`insert into users (id, email, email_key, password_hash, created_at)
    values ('u', 'a@b.c', 'a@b.c', 'x', 1)`.execute(db);
  await sql`insert into buckets (id, user_id, name, name_key, status, api_key_sealed, api_key_mac, usage, created_at)
    values ('b', 'u', 'B', 'b', 'running', 's', 'm', ${BYTES}, 1),
      ('empty', 'u', 'E', 'e', 'running', 's', 'n', 0, 1)`.execute(db);
  await sql`insert into ledger_accounts (user_id, seq, balance, level) values ('u', 0, 0, 2)`.execute(
    db,
  );
  await sql`insert into prices values (0, 30000, 5000, 5000)`.execute(db);
  await sql`update charging set charged_until = ${NOON}`.execute(db);
  const half = (BigInt(GIB) * 30n * BigInt(DAY)) / 2n;
  await sql`insert into billed_buckets values ('b', 'u', null, ${NOON}, ${`${half} 0 0`}),
    ('gone', 'u', 'Gone', ${NOON}, '0 0 0')`.execute(db);
  await sql`insert into usage_hours values ('b', ${NOON - HOUR}, 7, 7, ${HOUR_STORED}, 7),
    ('b', ${NOON}, ${GIB}, 0, ${HOUR_STORED}, 0), ('b', ${NOON + HOUR}, 0, 0, ${HOUR_STORED}, 0),
    ('b', ${NOON + 2 * HOUR}, 0, ${GIB}, ${HOUR_STORED / 3}, 0),
    ('gone', ${NOON}, ${2 * GIB}, 0, 0, 0), ('unknown', ${NOON}, 1, 1, 1, 1)`.execute(db);
  await sql`insert into bucket_meters values ('b', ${NOON + 2 * HOUR + 20 * MINUTE}),
    ('empty', ${NOON})`.execute(db);
}

const engines: [string, () => Promise<Database>][] = [
  ['SQLite', async () => openSqlite(join(folder, 'wharf.db'))],
  ['PostgreSQL', async () => openPostgres(await freshDatabase(postgres?.url ?? ''))],
];
for (const [engine, open] of engines) {
  test.skipIf(engine === 'PostgreSQL' && !postgres)(
    `daily charges on ${engine} begin exactly where the hourly ones ended`,
    async () => {
      const database = await open();
      const before = Object.entries(migrations).filter(([name]) => name < '0028_daily_charges');
      await migrate(database, Object.fromEntries(before));
      await fillOlder(database);
      await migrate(database);
      const now = NOON + 3 * HOUR;
      // Half a micro-dollar was carried.
      expect(await balanceAt(database.db, 'u', now)).toBe(-(18_000 + 10_000 + 10_000));
      let clock = DAY_START + DAY + HOUR;
      const charging = new DailyCharging({ database, clock: () => clock, prices: PRICES });
      await charging.start();
      await charging.round();
      clock += DAY;
      await charging.round();
      const days = await database.db
        .selectFrom('charge_days')
        .selectAll()
        .orderBy('day')
        .orderBy('bucket_id')
        .execute();
      expect(days.map((row) => [row.bucket_id, row.storage, row.bandwidth, row.upload])).toEqual([
        ['b', 72_000, 5_000, 5_000],
        ['gone', 0, 10_000, 0],
        ['b', 144_000, 0, 0],
      ]);
      const billed = await database.db.selectFrom('billed_buckets').selectAll().execute();
      expect(billed.find((row) => row.bucket_id === 'b')).toMatchObject({ stored: BYTES });
      expect(billed.find((row) => row.bucket_id === 'gone')).toMatchObject({ name: 'Gone' });
      await database.close();
    },
  );
}

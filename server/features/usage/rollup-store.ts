import { sql } from 'kysely';
import { DAY, HOUR } from '../../contract/limits.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { dayOf } from './periods.ts';

/** How long the daily bandwidth of a file is kept. */
const FILE_DAY_RETENTION_MS = 90 * DAY;
/** How long the days of buckets are kept, which is how far back a chart can go. */
const DAY_RETENTION_MS = 800 * DAY;

/** How long after its end a day can still grow, with a wide margin. */
const DAY_SETTLES_MS = HOUR;

/**
 * Keeps the tables bounded: days too old to be charted become one row, day 0, which holds the sums
 * that later days build on.
 */
export async function rollUp(database: Database, now: number): Promise<void> {
  const oldFileDays = dayOf(now - FILE_DAY_RETENTION_MS);
  const oldDays = dayOf(now - DAY_RETENTION_MS);

  await database.transaction(async (tx) => {
    if (database.engine === 'postgres') {
      // Two concurrent processes would add the same rows twice; with the lock the second finds none
      // left.
      await sql`select pg_advisory_xact_lock(hashtextextended('usage: roll up', 0))`.execute(tx);
    }
    for (const [table, before] of [
      ['file_bandwidth', oldFileDays],
      ['file_growth', oldDays],
    ] as const) {
      await sql`
        insert into ${sql.table(table)} (file_id, day, bytes)
        select file_id, 0, sum(bytes) from ${sql.table(table)} as old
        where day > 0 and day < ${before} and exists (select 1 from files where id = old.file_id)
        group by file_id
        on conflict (file_id, day) do update set bytes = ${sql.table(table)}.bytes + excluded.bytes
      `.execute(tx);
      await tx.deleteFrom(table).where('day', '>', 0).where('day', '<', before).execute();
    }
    await sql`
      insert into usage_days (bucket_id, day, bandwidth, uploaded, stored, kept, removed)
      select bucket_id, 0, sum(bandwidth), sum(uploaded), sum(stored), sum(kept), sum(removed)
      from usage_days
      where day > 0 and day < ${oldDays}
      group by bucket_id
      on conflict (bucket_id, day) do update set
        bandwidth = usage_days.bandwidth + excluded.bandwidth,
        uploaded = usage_days.uploaded + excluded.uploaded,
        stored = usage_days.stored + excluded.stored,
        kept = usage_days.kept + excluded.kept,
        removed = usage_days.removed + excluded.removed
    `.execute(tx);
    await tx.deleteFrom('usage_days').where('day', '>', 0).where('day', '<', oldDays).execute();
    // The sums of a deleted bucket are deleted only when no later day of the bucket builds on them.
    await sql`
      delete from usage_days where day = 0
      and not exists (select 1 from buckets where id = usage_days.bucket_id)
      and not exists (
        select 1 from usage_days as later
        where later.bucket_id = usage_days.bucket_id and later.day > 0
      )`.execute(tx);
  });
}

export type TotalDay = { day: number; stored: number; bandwidth: number };

/**
 * Adds the days that are over up over all buckets, once each, because they never change and have
 * thousands of rows. Each day is a statement of its own, so that no other writer waits for a year.
 */
export async function rollTotals({ db }: Database, now: number): Promise<void> {
  const end = dayOf(now - DAY_SETTLES_MS);
  for (let day = await firstOpenDay(db); day !== null && day < end; day += DAY) {
    await sql`
      insert into usage_totals (day, stored, bandwidth)
      select cast(${day} as bigint), coalesce(sum(stored), 0), coalesce(sum(bandwidth), 0)
      from usage_days where day = ${day}
      on conflict (day) do nothing`.execute(db);
  }
}

/** Returns the first day that is not added up yet; null where nothing was ever used. */
async function firstOpenDay(db: Executor): Promise<number | null> {
  const last = await db
    .selectFrom('usage_totals')
    .select(({ fn }) => fn.max('day').as('day'))
    .executeTakeFirst();
  if (typeof last?.day === 'number') return last.day + DAY;
  const first = await db
    .selectFrom('usage_days')
    .select('day')
    .where('day', '>', 0)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  return first?.day ?? null;
}

/**
 * Returns what changed over all buckets from a day on, in order; days without change may be
 * missing.
 */
export async function totalsSince(db: Executor, from: number): Promise<TotalDay[]> {
  const rollups = await db
    .selectFrom('usage_totals')
    .selectAll()
    .where('day', '>=', from)
    .orderBy('day')
    .execute();
  const open = Math.max(from, (await firstOpenDay(db)) ?? from);
  const live = await db
    .selectFrom('usage_days')
    .select(({ fn }) => [
      'day',
      fn.sum<number>('stored').as('stored'),
      fn.sum<number>('bandwidth').as('bandwidth'),
    ])
    .where('day', '>=', open)
    .groupBy('day')
    .orderBy('day')
    .execute();
  return [...rollups, ...live];
}

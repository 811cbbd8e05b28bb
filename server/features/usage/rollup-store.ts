import { sql } from 'kysely';
import { DAY, HOUR } from '../../contract/limits.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { allDays } from './changes-store.ts';
import { dayOf } from './periods.ts';

/** How long after its end a day can still grow, with a wide margin. */
const DAY_SETTLES_MS = HOUR;

export type TotalDay = { day: number; stored: number; bandwidth: number };

/**
 * Adds the days that are over up over all buckets, once each, because they never change. What has changed in them must be
 * folded.
 */
export async function rollTotals({ db }: Database, now: number): Promise<void> {
  const end = dayOf(now - DAY_SETTLES_MS);
  for (let day = await firstOpenDay(db); day !== null && day < end; day += DAY) {
    // A day has a row for each bucket. They are read before anything is written, so that no writer waits.
    const { stored, bandwidth } = await db
      .selectFrom('usage_days')
      .select(({ fn, lit }) => [
        fn.coalesce(fn.sum<number>('stored'), lit(0)).as('stored'),
        fn.coalesce(fn.sum<number>('bandwidth'), lit(0)).as('bandwidth'),
      ])
      .where('day', '=', day)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('usage_totals')
      .values({ day, stored, bandwidth })
      .onConflict((conflict) => conflict.column('day').doNothing())
      .execute();
  }
}

/** Returns the first day that is not added up yet; null where nothing was ever used. */
async function firstOpenDay(db: Executor): Promise<number | null> {
  const last = await db
    .selectFrom('usage_totals')
    .select(({ fn }) => fn.max('day').as('day'))
    .$call(inlineRead)
    .executeTakeFirst();
  if (typeof last?.day === 'number') return last.day + DAY;
  const first = await db
    .selectFrom('usage_days')
    .select('day')
    .where('day', '>', 0)
    .orderBy('day')
    .limit(1)
    .$call(inlineRead)
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
  const { rows } = await sql<TotalDay>`
    select day, sum(stored) as stored, sum(bandwidth) as bandwidth
    from ${allDays} as days where day >= ${open} group by day order by day`.execute(db);
  return [...rollups, ...rows];
}

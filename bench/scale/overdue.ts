import { DAY, HOUR, MIB } from '../../server/contract/limits.ts';
import type { ScaleDatabase } from './scale-database.ts';
import type { ScaleSize } from './size.ts';

/*
 * The server's clock is the machine's. Instead of moving it, what the server should have done an hour or a
 * day ago is left undone, while the server is stopped.
 */

/**
 * Leaves use to be charged in which all accounts stored something and some were active: the last full hour,
 * or the last day in programs that charge by the day.
 */
export async function leaveCharges(
  database: ScaleDatabase,
  { activeBuckets }: ScaleSize,
  now: number,
): Promise<void> {
  if (!(await chargesByHour(database))) {
    const today = now - (now % DAY);
    await database.run(`
      insert into usage_hours (user_id, bucket_id, hour, bandwidth, uploaded, stored_change,
        stored_gib_ms, stored_byte_ms)
      select user_id, id, ${today - HOUR}, ${MIB}, 0, 0, 0, 0
      from buckets order by id limit ${activeBuckets}
      on conflict (user_id, bucket_id, hour) do nothing`);
    await database.run(`update ledger_accounts set charge_at = ${today}`);
    return;
  }
  const hour = now - (now % HOUR) - HOUR;
  await database.run(`
    insert into usage_hours (bucket_id, hour, bandwidth)
    select id, ${hour}, ${MIB} from buckets order by id limit ${activeBuckets}
    on conflict (bucket_id, hour) do nothing`);
  await database.run(`update bucket_meters set metered_at = ${hour}`);
  await database.run(`update charging set charged_until = ${hour}, lease_until = 0`);
}

/** Whether that is charged. */
export async function isCharged(database: ScaleDatabase, now: number): Promise<boolean> {
  if (await chargesByHour(database)) {
    return (await database.count('select charged_until from charging')) >= now - (now % HOUR);
  }
  const due = `select count(*) from ledger_accounts where charge_at <= ${now}`;
  return (await database.count(due)) === 0;
}

/** Programs that charge by the hour have the table `charging`. */
const chargesByHour = (database: ScaleDatabase): Promise<boolean> =>
  database.count('select count(*) from charging').then(
    () => true,
    () => false,
  );

const OLD_FILE_DAY = 100 * DAY;
const OLD_BUCKET_DAY = 900 * DAY;

/** Leaves days of files and of buckets to be rolled up, and the sums of the last month to be added up. */
export async function leaveDays(
  database: ScaleDatabase,
  { oldDays, activeBuckets }: ScaleSize,
  now: number,
): Promise<void> {
  const today = now - (now % DAY);
  await database.run(`
    insert into file_bandwidth (file_id, day, bytes)
    select id, ${today - OLD_FILE_DAY}, 1000 from files order by id limit ${oldDays}
    on conflict (file_id, day) do nothing`);
  await database.run(`
    insert into usage_days (bucket_id, day, stored)
    select id, ${today - OLD_BUCKET_DAY}, 1000 from buckets order by id limit ${activeBuckets}
    on conflict (bucket_id, day) do nothing`);
  await database.run('delete from usage_totals');
}

/** Whether those days are rolled up. */
export async function areDaysRolledUp(database: ScaleDatabase, now: number): Promise<boolean> {
  const today = now - (now % DAY);
  const left = await database.count(`
    select (select count(*) from file_bandwidth where day > 0 and day <= ${today - OLD_FILE_DAY})
      + (select count(*) from usage_days where day > 0 and day <= ${today - OLD_BUCKET_DAY})`);
  if (left > 0) return false;
  return (await database.count('select count(*) from usage_totals')) > 0;
}

import { type RawBuilder, sql } from 'kysely';
import { GIB, HOUR } from '../../../contract/limits.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { byteMsOf } from '../../usage/service.ts';
import type { BilledBucketRow, PriceRow } from '../tables.ts';
import type { OpenBucket, OpenUse } from './open-cost.ts';
import { NOTHING_OWED } from './pricing.ts';

/** A time as a parameter that both engines calculate with as an integer. */
const time = (at: number) => sql`cast(${at} as bigint)`;
const [gib, hour] = [sql.lit(GIB), sql.lit(HOUR)];

/** The sums of a bucket over the hours of one price. */
export type UseRow = {
  user_id: string;
  bucket_id: string;
  price_hour: number;
  bandwidth: number;
  uploaded: number;
  stored_change: number;
  stored_gib_ms: number;
  stored_byte_ms: number;
  gib_hours: number;
  byte_hours: number;
};

/** Selects the start of the price of an hour. With a single price there is nothing to compare. */
function priceHour(prices: PriceRow[]) {
  const [first, ...later] = prices.map((price) => time(price.hour));
  if (later.length === 0) return sql`${first ?? time(0)}`;
  const cases = later.reverse().map((start) => sql`when used.hour >= ${start} then ${start}`);
  return sql`case ${sql.join(cases, sql` `)} else ${first} end`;
}

/**
 * Selects the sums over rows of `usage_hours` by bucket and price. The bytes × hours that changes add
 * until `end` take two columns, as one would not hold a large bucket.
 */
export const sumsOf = (rows: RawBuilder<unknown>, prices: PriceRow[], end: number) => sql<UseRow>`
  select user_id, bucket_id, ${priceHour(prices)} as price_hour,
    sum(bandwidth) as bandwidth, sum(uploaded) as uploaded, sum(stored_change) as stored_change,
    sum(stored_gib_ms) as stored_gib_ms, sum(stored_byte_ms) as stored_byte_ms,
    sum(stored_change / ${gib} * ((${time(end)} - used.hour) / ${hour} - 1)) as gib_hours,
    sum(stored_change % ${gib} * ((${time(end)} - used.hour) / ${hour} - 1)) as byte_hours
  from ${rows} as used
  group by user_id, bucket_id ${prices.length > 1 ? sql`, 3` : sql``}`;

/** Returns sums as what is still to be charged. */
export const toUse = (row: UseRow): OpenUse => ({
  priceHour: row.price_hour,
  bandwidth: row.bandwidth,
  uploaded: row.uploaded,
  change: BigInt(row.stored_change),
  byteMs: byteMsOf(row),
  byteHours: BigInt(row.gib_hours) * BigInt(GIB) + BigInt(row.byte_hours),
});

export type DueBucket = Pick<BilledBucketRow, 'user_id' | 'bucket_id'> & {
  /** Null where the bucket has not been charged before. */
  carry: string | null;
};

/** Returns at most `limit` buckets of these accounts with anything to charge before `end`, in order. */
export async function dueBuckets(
  tx: Tx,
  userIds: string[],
  end: number,
  limit: number,
): Promise<DueBucket[]> {
  const ids = sql.join(userIds);
  const { rows } = await sql<DueBucket>`
    select due.user_id, due.bucket_id, billed.carry
    from (
      select user_id, bucket_id from billed_buckets
      where user_id in (${ids}) and stored <> 0 and charged_until < ${end}
      union
      select user_id, bucket_id from usage_hours where user_id in (${ids}) and hour < ${end}
      order by user_id, bucket_id limit ${limit}
    ) as due
    left join billed_buckets as billed on billed.bucket_id = due.bucket_id
    order by due.user_id, due.bucket_id`.execute(tx);
  return rows;
}

/**
 * Deletes the hours of these accounts before `end`, up to the bucket `last` where it is not null and
 * without the buckets `except`, and returns their sums. What is written later stays for the next charge,
 * so nothing is taken twice and nothing is lost.
 */
export async function takeUse(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  {
    userIds,
    prices,
    end,
    last,
    except,
  }: {
    userIds: string[];
    prices: PriceRow[];
    end: number;
    last: DueBucket | null;
    except: string[];
  },
): Promise<UseRow[]> {
  const until = last
    ? sql`and (user_id, bucket_id) <= (${last.user_id}, ${last.bucket_id})`
    : sql``;
  const others = except.length > 0 ? sql`and bucket_id not in (${sql.join(except)})` : sql``;
  const rows = sql`usage_hours where user_id in (${sql.join(userIds)}) and hour < ${end} ${until} ${others}`;
  if (engine === 'postgres') {
    // Others write meanwhile: what is summed must be exactly what is deleted.
    const taken = await sql<UseRow>`
      with taken as (delete from ${rows} returning *) ${sumsOf(sql`taken`, prices, end)}`.execute(
      tx,
    );
    return taken.rows;
  }
  const sums = await sumsOf(sql`(select * from ${rows})`, prices, end).execute(tx);
  await sql`delete from ${rows}`.execute(tx);
  return sums.rows;
}

/** Returns buckets with their sums, and with how far each has been charged. */
export async function openBuckets(
  tx: Tx,
  due: DueBucket[],
  taken: UseRow[],
): Promise<OpenBucket[]> {
  const buckets = new Map<string, OpenBucket>();
  for (const { user_id, bucket_id } of [...due, ...taken]) {
    const fresh = { stored: 0, charged_until: 0, carry: NOTHING_OWED, uses: [] };
    buckets.set(bucket_id, { user_id, bucket_id, ...fresh });
  }
  if (buckets.size === 0) return [];
  const billed = await tx
    .selectFrom('billed_buckets')
    .select(['user_id', 'bucket_id', 'stored', 'charged_until', 'carry'])
    .where('bucket_id', 'in', [...buckets.keys()])
    .execute();
  for (const row of billed) buckets.set(row.bucket_id, { ...row, uses: [] });
  for (const row of taken) buckets.get(row.bucket_id)?.uses.push(toUse(row));
  return [...buckets.values()];
}

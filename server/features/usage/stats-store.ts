import { type RawBuilder, sql } from 'kysely';
import type { Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { AccountStatsRow } from './tables.ts';

/** How many rows one statement writes, as both engines bound the number of its parameters. */
const WRITE_BATCH_SIZE = 500;

/**
 * Returns the assignments that add a value of a month to columns of an upsert. A later month begins at zero, and one that
 * is over stays over.
 */
export function monthAddition(table: string, month: string, value: string): RawBuilder<unknown> {
  const [stored, added] = [`${table}.${month}`, `excluded.${month}`].map((name) => sql.ref(name));
  return sql`${sql.ref(value)} = case
      when ${stored} = ${added} then ${sql.ref(`${table}.${value}`)} + ${sql.ref(`excluded.${value}`)}
      when ${stored} < ${added} then ${sql.ref(`excluded.${value}`)}
      else ${sql.ref(`${table}.${value}`)} end,
    ${sql.ref(month)} = case when ${stored} < ${added} then ${added} else ${stored} end`;
}

/**
 * Adds bytes that buckets have sent to those of the UTC month that starts at `month`. Rows are written in the order of
 * their keys, as by all who write them, so that two of them never deadlock. Deleted buckets are left out.
 */
export async function addToBucketStats(
  tx: Tx,
  month: number,
  sums: Map<string, number>,
): Promise<void> {
  for (const rows of batches([...sums].filter(([, bytes]) => bytes > 0))) {
    const values = sql.join(rows.map(([id, bytes]) => sql`(${id}, ${bytes})`));
    await sql`insert into bucket_stats (bucket_id, month, bandwidth, spend_month, spend)
      select column1, cast(${month} as bigint), cast(column2 as bigint), 0, 0
      from (values ${values}) as added
      where exists (select 1 from buckets where id = column1) order by column1
      on conflict (bucket_id) do update set ${monthAddition('bucket_stats', 'month', 'bandwidth')}`.execute(
      tx,
    );
  }
}

/** Adds to what accounts store and have sent, in the order of their keys. Deleted accounts are left out. */
export async function addToAccountStats(tx: Tx, changes: AccountStatsRow[]): Promise<void> {
  for (const rows of batches(changes)) await accountsAdded(rows).execute(tx);
}

/** Returns the statement that adds bytes to what one account stores, as every upload does on SQLite. */
export const accountAddition = (db: Executor, userId: string, stored: number): Statement => ({
  query: addToAccount.query(db, { user_id: userId, stored, month: 0, bandwidth: 0 }),
});

const addToAccount = prepareStatement((_db, row: AccountStatsRow) => accountsAdded([row]));

function accountsAdded(rows: AccountStatsRow[]) {
  const values = rows.map(
    ({ user_id, stored, month, bandwidth }) => sql`(${user_id}, ${stored}, ${month}, ${bandwidth})`,
  );
  return sql`insert into account_stats (user_id, stored, month, bandwidth)
    select column1, cast(column2 as bigint), cast(column3 as bigint), cast(column4 as bigint)
    from (values ${sql.join(values)}) as added
    where exists (select 1 from users where id = column1) order by column1
    on conflict (user_id) do update set stored = account_stats.stored + excluded.stored,
      ${monthAddition('account_stats', 'month', 'bandwidth')}`;
}

function* batches<Row>(rows: Row[]) {
  for (let at = 0; at < rows.length; at += WRITE_BATCH_SIZE)
    yield rows.slice(at, at + WRITE_BATCH_SIZE);
}

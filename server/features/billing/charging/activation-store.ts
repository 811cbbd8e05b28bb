import { sql } from 'kysely';
import { INLINE_MARK } from '../../../platform/db/inline-read.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';

export type ActiveAccount = { user_id: string; hour: number };

/**
 * Returns the next accounts with any usage to charge, in the order of their ids, each with the first
 * hour of it. The query goes from account to account by the key, however many rows each has.
 */
export async function accountsWithUse(
  db: Executor,
  after: string,
  limit: number,
): Promise<ActiveAccount[]> {
  const { rows } = await sql<ActiveAccount>`
    with recursive used (user_id, at) as (
      select min(user_id), 1 from usage_hours where user_id > ${after}
      union all
      select (select min(user_id) from usage_hours where user_id > used.user_id), at + 1
      from used where used.user_id is not null and at < ${limit}
    )
    select user_id, (select min(hour) from usage_hours where usage_hours.user_id = used.user_id) as hour
    from used where user_id is not null order by user_id
    ${sql.raw(INLINE_MARK)}`.execute(db);
  return rows;
}

/** An account that is neither waiting for a charge nor closed, with the last day that has charges. */
export type IdleAccount = { user_id: string; day: number | null };

/** Returns and locks those of these accounts that are neither waiting for a charge nor closed. */
export async function lockIdle(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  userIds: string[],
): Promise<IdleAccount[]> {
  const { rows } = await sql<IdleAccount>`
    select user_id, (select max(day) from charge_days where user_id = account.user_id) as day
    from ledger_accounts as account
    where user_id in (${sql.join(userIds)}) and charge_at is null and closed_at is null
    order by user_id ${engine === 'postgres' ? sql`for update` : sql``}`.execute(tx);
  return rows;
}

/** Stores when accounts are to be charged. */
export async function setChargeAt(tx: Tx, userIds: string[], at: number): Promise<void> {
  await tx
    .updateTable('ledger_accounts')
    .set({ charge_at: at })
    .where('user_id', 'in', userIds)
    .execute();
}

/** Deletes the usage of these accounts that nobody is charged for, because the account is closed. */
export async function dropUseOfClosed(db: Executor, userIds: string[]): Promise<void> {
  await db
    .deleteFrom('usage_hours')
    .where('user_id', 'in', ({ selectFrom }) =>
      selectFrom('ledger_accounts')
        .select('user_id')
        .where('user_id', 'in', userIds)
        .where('closed_at', 'is not', null),
    )
    .execute();
}

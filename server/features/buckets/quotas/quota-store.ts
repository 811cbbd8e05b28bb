import { type RawBuilder, sql } from 'kysely';
import { MIB } from '../../../contract/limits.ts';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { unfoldedBytes } from '../counters-store.ts';

type NewReservation = {
  /** What the upload stores is below it. It has no pending delete yet. */
  prefix: string;
  /** When everything below the prefix is deleted, in epoch milliseconds. */
  deleteAt: number;
  userId: string;
  bytes: number;
};

type Limits = {
  maxOpenUploads: number;
  maxOpenBytes: number;
  /** The bytes that an account may store which has no limit of its own; null means any number. */
  sharedLimit: number | null;
};

type Values = NewReservation & Limits;

/** Larger uploads are bound by their bytes, so that they may as well begin one after another. */
const MAX_SHARED_BYTES = MIB;

/** Distinguishes these advisory locks from the others in the same database. */
const LOCK_SEED = 0x71756f74;

/** The setting of a transaction that keeps how it has locked the reservations of an account. */
const LOCK_MODE = sql.lit('wharf.reservation_lock');

/** No more transactions than that can be between their snapshot and their commit. */
const MAX_CONCURRENT = sql`cast(current_setting('max_connections') as bigint)`;

const ALONE = sql`0`;

/**
 * Returns the statements that reserve the bytes of an upload with its pending delete. The guard of the last one
 * fails where a limit of the account would be exceeded.
 *
 * SQLite runs the transactions that write one after another. On PostgreSQL, reservations of an account that may
 * reach a limit do, by an advisory lock. Small ones that stay away from each limit by what all connections could
 * reserve at the same time share the lock. They can't pass a limit together: once the room is smaller
 * than that, only those can still be committed that had counted before, at most one for each connection, and others
 * find that they may not share.
 */
export function reservationStatements(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  reservation: Values,
  otherwise: () => unknown,
): Statement[] {
  const guard = { expect: 1, otherwise };
  if (engine !== 'postgres') return [{ query: insertAlone.query(db, reservation), ...guard }];
  return [
    { query: lockShared.query(db, reservation) },
    { query: insertLocked.query(db, reservation), ...guard },
  ];
}

/**
 * Waits for all other reservations of an account, and excludes them until the transaction ends. SQLite excludes
 * all other transactions anyway.
 */
export async function lockReservations(
  tx: Executor,
  { engine }: Pick<Database, 'engine'>,
  userId: string,
): Promise<void> {
  if (engine === 'postgres') await sql`select ${exclusiveLock(userId)}`.execute(tx);
}

const lockKey = (userId: string) =>
  sql`hashtextextended(cast(${userId} as text), ${sql.lit(LOCK_SEED)})`;

const exclusiveLock = (userId: string) =>
  sql`cast(pg_advisory_xact_lock(${lockKey(userId)}) as text)`;

/**
 * A shared lock is only tried, because what was counted before a wait may be wrong after it. It leaves twice the
 * room that the insertion needs, which counts again.
 */
const lockShared = prepareStatement((_db, values: Values) => {
  const tried = sql`pg_try_advisory_xact_lock_shared(${lockKey(values.userId)})`;
  return sql`
    select set_config(${LOCK_MODE}, case
      when (select case
          when cast(${values.bytes} as bigint) <= ${sql.lit(MAX_SHARED_BYTES)}
            and ${isWithinLimits(values, sql`2 * ${MAX_CONCURRENT}`)}
          then ${tried} else false end
        from ${countedUse(values)})
      then 'shared' else ${exclusiveLock(values.userId)} end, true)`;
});

const insertAlone = prepareStatement((_db, values: Values) => insertWithinLimits(values, ALONE));

const insertLocked = prepareStatement((_db, values: Values) =>
  insertWithinLimits(
    values,
    sql`case current_setting(${LOCK_MODE}) when 'shared' then ${MAX_CONCURRENT} else ${ALONE} end`,
  ),
);

const insertWithinLimits = (values: Values, others: RawBuilder<unknown>) => sql`
  insert into pending_deletes (prefix, not_before, user_id, reserved_bytes)
  select
    cast(${values.prefix} as text), cast(${values.deleteAt} as bigint),
    cast(${values.userId} as text), cast(${values.bytes} as bigint)
  from ${countedUse(values)}
  where ${isWithinLimits(values, others)}`;

/** What an account stores and has reserved, and what it may store. */
const countedUse = ({ userId, sharedLimit }: Values) => sql`
  (select count(*) as uploads, coalesce(sum(reserved_bytes), 0) as bytes
    from pending_deletes where user_id = ${userId}) as unfinished,
  (select coalesce(sum(bytes), 0) + ${unfoldedBytes(userId)} as bytes
    from account_totals where user_id = ${userId}) as stored,
  (select coalesce(
      (select max_bytes from users where id = ${userId}),
      cast(${sharedLimit} as bigint)
    ) as bytes) as account_limit`;

/** Whether an upload fits into what an account may have, beside so many others that are not counted. */
const isWithinLimits = (values: Values, others: RawBuilder<unknown>) => {
  const bytes = sql`(cast(${values.bytes} as bigint) + ${others} * ${sql.lit(MAX_SHARED_BYTES)})`;
  return sql`unfinished.uploads + ${others} < cast(${values.maxOpenUploads} as bigint)
    and unfinished.bytes + ${bytes} <= cast(${values.maxOpenBytes} as bigint)
    and (account_limit.bytes is null
      or stored.bytes + unfinished.bytes + ${bytes} <= account_limit.bytes)`;
};

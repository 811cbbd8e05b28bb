import { sql } from 'kysely';
import type { Statement } from '../../../platform/db/batch.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepared } from '../../../platform/db/prepared.ts';

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

/**
 * Returns the statement that reserves the bytes of an upload with its pending delete. Its guard fails where a
 * limit of the account would be exceeded. On PostgreSQL, reservations of an account run one after another only
 * where each has locked the account before.
 */
export const reservationInsertion = (
  db: Executor,
  reservation: NewReservation & Limits,
  otherwise: () => unknown,
): Statement => ({ query: insertWithinLimits.query(db, reservation), expect: 1, otherwise });

const insertWithinLimits = prepared(
  (_db, { prefix, deleteAt, userId, bytes, ...limits }: NewReservation & Limits) => sql`
    insert into pending_deletes (prefix, not_before, user_id, reserved_bytes)
    select
      cast(${prefix} as text), cast(${deleteAt} as bigint),
      cast(${userId} as text), cast(${bytes} as bigint)
    from
      (select count(*) as uploads, coalesce(sum(reserved_bytes), 0) as bytes
        from pending_deletes where user_id = ${userId}) as unfinished,
      (select coalesce(sum(bytes), 0) as bytes
        from account_totals where user_id = ${userId}) as stored,
      (select coalesce(
          (select max_bytes from users where id = ${userId}),
          cast(${limits.sharedLimit} as bigint)
        ) as bytes) as account_limit
    where unfinished.uploads < cast(${limits.maxOpenUploads} as bigint)
      and unfinished.bytes + cast(${bytes} as bigint) <= cast(${limits.maxOpenBytes} as bigint)
      and (account_limit.bytes is null
        or stored.bytes + unfinished.bytes + cast(${bytes} as bigint) <= account_limit.bytes)`,
);

import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';
import { prepareStatement } from '../db/prepare-statement.ts';

/** The bytes that an account's unfinished upload may store, which are a part of its pending delete. */
export type Reservation = { userId: string; bytes: number };

/** Counts an account's reservations and their bytes, except the one of `exceptPrefix`. */
export async function reservationsOf(
  db: Executor,
  userId: string,
  exceptPrefix = '',
): Promise<{ count: number; bytes: number }> {
  const { rows } = await countReservations(db, { userId, exceptPrefix });
  return rows[0] ?? { count: 0, bytes: 0 };
}

const countReservations = prepareStatement((db, values: { userId: string; exceptPrefix: string }) =>
  db
    .selectFrom('pending_deletes')
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>('reserved_bytes'), lit(0)).as('bytes'),
    ])
    .where('user_id', '=', values.userId)
    .where('prefix', '!=', values.exceptPrefix),
);

/** Returns the reservation of a prefix; undefined where it has none, or its delete has started. */
export async function findReservation(
  db: Executor,
  prefix: string,
): Promise<Reservation | undefined> {
  const row = await db
    .selectFrom('pending_deletes')
    .select(['user_id', 'reserved_bytes'])
    .where('prefix', '=', prefix)
    .where('started_at', 'is', null)
    .$call(inlineRead)
    .executeTakeFirst();
  if (!row?.user_id) return undefined;
  return { userId: row.user_id, bytes: row.reserved_bytes ?? 0 };
}

/** Takes bytes off a reservation. */
export async function reduceReservation(
  db: Executor,
  prefix: string,
  bytes: number,
): Promise<void> {
  await db
    .updateTable('pending_deletes')
    .set((row) => ({ reserved_bytes: row('reserved_bytes', '-', bytes) }))
    .where('prefix', '=', prefix)
    .where('reserved_bytes', '>=', bytes)
    .execute();
}

/** Sets the bytes of a reservation that has fewer. */
export async function extendReservation(
  tx: Executor,
  prefix: string,
  bytes: number,
): Promise<void> {
  await tx
    .updateTable('pending_deletes')
    .set({ reserved_bytes: bytes })
    .where('prefix', '=', prefix)
    .where('reserved_bytes', '<', bytes)
    .execute();
}

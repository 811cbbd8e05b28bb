import type { Statement } from '../db/batch.ts';
import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';
import { prepareStatement } from '../db/prepare-statement.ts';
import type { Reservation } from './reservations-store.ts';

/*
 * Rows and objects cannot be written in one transaction. Therefore a delete of a prefix is scheduled
 * before anything is stored below it, and cancelled by the transaction that creates its row: whatever
 * a crash leaves behind is deleted later. Deleting works the same way: the transaction that drops the
 * row schedules the delete.
 */

/** The time of a delete that becomes due by `releaseDeletes` only. */
export const UNTIL_RELEASED = Number.MAX_SAFE_INTEGER;

/** How many rows one statement writes, as both engines bound the number of its parameters. */
const WRITE_BATCH_SIZE = 500;

/**
 * Schedules the deletion of everything below `prefix` (which ends in '/'), or of the object `prefix`, after
 * `notBefore` (epoch milliseconds). A reservation counts for its account until the objects are deleted, or
 * the delete is cancelled, or scheduled again without one.
 */
export async function scheduleDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
  reservation: Reservation | null = null,
): Promise<void> {
  await insertOne(db, scheduled(prefix, notBefore, reservation));
}

/** Returns the statement that schedules the deletion of a prefix in a batch. */
export const deletion = (db: Executor, prefix: string, notBefore: number): Statement => ({
  query: insertOne.query(db, scheduled(prefix, notBefore, null)),
});

/** Schedules the deletion of everything below several prefixes, as `scheduleDelete` does. */
export async function scheduleDeletes(
  db: Executor,
  prefixes: Iterable<string>,
  notBefore: number,
): Promise<void> {
  const rows = [...prefixes].map((prefix) => scheduled(prefix, notBefore, null));
  for (let at = 0; at < rows.length; at += WRITE_BATCH_SIZE) {
    await insertAll(db, rows.slice(at, at + WRITE_BATCH_SIZE)).execute();
  }
}

const scheduled = (prefix: string, notBefore: number, reservation: Reservation | null) => ({
  prefix,
  not_before: notBefore,
  user_id: reservation?.userId ?? null,
  reserved_bytes: reservation?.bytes ?? null,
  deleted_at: null,
});

type Scheduled = ReturnType<typeof scheduled>;

/** One that has started before stays so, as objects may be gone. */
const insertAll = (db: Executor, rows: Scheduled[]) =>
  db
    .insertInto('pending_deletes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('prefix').doUpdateSet(({ ref }) => ({
        not_before: ref('excluded.not_before'),
        user_id: ref('excluded.user_id'),
        reserved_bytes: ref('excluded.reserved_bytes'),
        deleted_at: ref('excluded.deleted_at'),
      })),
    );

const insertOne = prepareStatement((db, row: Scheduled) => insertAll(db, [row]));

/** Makes those of the deletes due that are scheduled until they are released. */
export async function releaseDeletes(tx: Executor, prefixes: string[], now: number): Promise<void> {
  await tx
    .updateTable('pending_deletes')
    .set({ not_before: now })
    .where('prefix', 'in', prefixes)
    .where('not_before', '=', UNTIL_RELEASED)
    .execute();
}

/** Postpones a scheduled delete until `notBefore` (epoch milliseconds), unless it has started. */
export async function postponeDelete(
  db: Executor,
  prefix: string,
  notBefore: number,
): Promise<void> {
  await db
    .updateTable('pending_deletes')
    .set({ not_before: notBefore })
    .where('prefix', '=', prefix)
    .where('started_at', 'is', null)
    .execute();
}

/** Cancels a scheduled delete. Returns false when it has already started, so that objects may be gone. */
export async function cancelDelete(tx: Executor, prefix: string): Promise<boolean> {
  return (await deleteUnstarted(tx, { prefix })).numAffectedRows === 1n;
}

/**
 * Returns the statement that does the same in a batch.
 * @param otherwise returns what to throw where the delete has started
 */
export const cancellation = (
  db: Executor,
  prefix: string,
  otherwise: () => unknown,
): Statement => ({
  query: deleteUnstarted.query(db, { prefix }),
  expect: 1,
  otherwise,
});

/**
 * Returns the statement that replaces the delete of the prefix `from` by one of `to`, without a reservation.
 * @param otherwise returns what to throw where the delete has started
 */
export const redirection = (
  db: Executor,
  { from, to, notBefore }: { from: string; to: string; notBefore: number },
  otherwise: () => unknown,
): Statement => ({ query: redirect.query(db, { from, to, notBefore }), expect: 1, otherwise });

const redirect = prepareStatement((db, values: { from: string; to: string; notBefore: number }) =>
  db
    .updateTable('pending_deletes')
    .set({
      ...{ prefix: values.to, not_before: values.notBefore },
      ...{ user_id: null, reserved_bytes: null },
    })
    .where('prefix', '=', values.from)
    .where('started_at', 'is', null),
);

/** Returns when the delete of a prefix may start; undefined where it has, or there is none. */
export async function deleteTimeOf(db: Executor, prefix: string): Promise<number | undefined> {
  return (await selectTime(db, { prefix })).rows[0]?.not_before;
}

const selectTime = prepareStatement((db, { prefix }: { prefix: string }) =>
  db
    .selectFrom('pending_deletes')
    .select('not_before')
    .where('prefix', '=', prefix)
    .where('started_at', 'is', null)
    .$call(inlineRead),
);

const deleteUnstarted = prepareStatement((tx, { prefix }: { prefix: string }) =>
  tx.deleteFrom('pending_deletes').where('prefix', '=', prefix).where('started_at', 'is', null),
);

/**
 * Makes the scheduled deletes of some prefixes due now, unless they have started. Called only where no other
 * process uses this database: what they would delete belongs to a process that has died.
 */
export async function expediteDeletes(
  db: Executor,
  prefixes: string[],
  now: number,
): Promise<void> {
  for (const prefix of prefixes) {
    await db
      .updateTable('pending_deletes')
      .set({ not_before: now })
      .where('prefix', 'like', `${prefix}%`)
      .where('started_at', 'is', null)
      .where('not_before', '>', now)
      .where('not_before', '<', UNTIL_RELEASED)
      .execute();
  }
}

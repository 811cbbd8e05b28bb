import { createHash } from 'node:crypto';
import { DAY } from '../../contract/limits.ts';
import { conflict } from '../../errors.ts';
import { deleteRows, olderThan } from '../db/delete-rows.ts';
import type { Executor, Tx } from '../db/port.ts';

/** How long a repeated request is recognised: clients retry within minutes, and pages are left open. */
const KEY_TTL_MS = DAY;
/** An account that uses more keys only loses its oldest ones. */
const MAX_KEYS_PER_USER = 100;

/** A request, and the id of what it is about to create. */
export type IdempotentRequest = {
  userId: string;
  /** The client's key; undefined where it sent none, which makes every request a new one. */
  key: string | undefined;
  /** What is requested: a key is for one request only. */
  request: readonly (string | null)[];
  subjectId: string;
};

/**
 * Records a request in the transaction that carries it out. A concurrent repetition waits for it.
 * @param now epoch milliseconds
 * @returns the id of what the same request has already created; null where the request is new
 * @throws conflict where the key was used for another request
 */
export async function findRepeatedRequest(
  tx: Tx,
  { userId, key, request, subjectId }: IdempotentRequest,
  now: number,
): Promise<string | null> {
  if (key === undefined) return null;
  const request_hash = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const row = { user_id: userId, key, request_hash, subject_id: subjectId, created_at: now };
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) {
    await deleteBeyondLimit(tx, userId, key);
    return null;
  }
  const earlier = await tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (earlier.request_hash !== request_hash) throw keyReused();
  return earlier.subject_id;
}

/** Forgets a key whose action has failed, so that the request can be repeated. */
export async function deleteKey(db: Executor, userId: string, key: string): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .execute();
}

/** Deletes the keys that have expired. `now` is in epoch milliseconds. */
export async function deleteExpiredKeys(
  db: Executor,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  await deleteRows(db, 'idempotency_keys', olderThan('created_at', now - KEY_TTL_MS), signal);
}

/** Deletes the oldest keys, and never the new one, which is older than others after a clock was set back. */
async function deleteBeyondLimit(tx: Tx, userId: string, newKey: string): Promise<void> {
  const oldest = tx
    .selectFrom('idempotency_keys')
    .select('created_at')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .offset(MAX_KEYS_PER_USER)
    .limit(1);
  await tx
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', userId)
    .where('created_at', '<=', oldest)
    .where('key', '!=', newKey)
    .execute();
}

const keyReused = () =>
  conflict('This Idempotency-Key was used for another request. Send a new one for each request.');

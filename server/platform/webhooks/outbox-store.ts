import { sql } from 'kysely';
import type { WebhookAttemptState, WebhookType } from '../../contract/wire.ts';
import type { Statement } from '../db/batch.ts';
import { inlineRead } from '../db/inline-read.ts';
import { idsOfDays, type ListRange, paged } from '../db/listing.ts';
import type { Executor } from '../db/port.ts';
import type { WebhookAttemptRow } from './tables.ts';

type NewWebhookAttempt = {
  id: string;
  bucketId: string;
  owner: string;
  type: WebhookType;
  body: string;
  targetSealed: string;
  /** The step of the retry schedule at which it starts. */
  step: number;
  now: number;
};

/** Returns the statements that add deliveries, for the transaction of the change that they report. */
export function webhookAttemptInsertions(
  db: Executor,
  deliveries: NewWebhookAttempt[],
): Statement[] {
  const rows = deliveries.map(({ id, bucketId, owner, type, body, targetSealed, step, now }) => ({
    id,
    bucket_id: bucketId,
    owner,
    type,
    body,
    target_sealed: targetSealed,
    state: 'waiting' as const,
    step,
    attempts: 0,
    due_at: now,
    ready: 1 as const,
    created_at: now,
  }));
  return rows.length > 0
    ? [{ query: db.insertInto('webhook_deliveries').values(rows).compile() }]
    : [];
}

/** Claims a delivery in the transaction that adds it, before any other process can. */
export async function claimNewWebhookAttempt(
  tx: Executor,
  id: string,
  claim: { token: string; now: number; until: number },
): Promise<WebhookAttemptRow> {
  return tx
    .updateTable('webhook_deliveries')
    .set({
      claim: claim.token,
      due_at: claim.until,
      ready: 0,
      attempted_at: claim.now,
      attempts: 1,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

type Claimed = { id: string; claim: string | null };

const claimed = (db: Executor, delivery: Claimed) =>
  db
    .updateTable('webhook_deliveries')
    .where('id', '=', delivery.id)
    .where('claim', '=', delivery.claim);

type Result = Pick<
  WebhookAttemptRow,
  | 'state'
  | 'step'
  | 'due_at'
  | 'answer_status'
  | 'answer_text'
  | 'sent_url'
  | 'sent_headers'
  | 'finished_at'
>;

/** Writes the outcome of an attempt, unless another process has taken the delivery over. */
export async function settleWebhookAttempt(
  db: Executor,
  delivery: Claimed,
  result: Result,
): Promise<void> {
  await claimed(db, delivery)
    .set({ ...result, claim: null, ready: 0 })
    .execute();
}

/** Releases a delivery as if it had not been claimed. */
export async function releaseWebhookAttempt(
  db: Executor,
  delivery: Claimed,
  now: number,
): Promise<void> {
  await claimed(db, delivery)
    .set((row) => ({ claim: null, due_at: now, ready: 0, attempts: row('attempts', '-', 1) }))
    .execute();
}

/** Which deliveries of a bucket: of an event and of days; what is left out limits nothing. */
type WebhookAttemptFilter = Pick<ListRange, 'from' | 'to' | 'tz'> & { type?: WebhookType };

/** Returns a page of the deliveries of a bucket, newest first. A bucket has a bounded number of them. */
export async function listWebhookAttempts(
  db: Executor,
  bucketId: string,
  { type, state, ...range }: ListRange & WebhookAttemptFilter & { state?: WebhookAttemptState },
): Promise<WebhookAttemptRow[]> {
  let query = db.selectFrom('webhook_deliveries').selectAll().where('bucket_id', '=', bucketId);
  if (type) query = query.where('type', '=', type);
  if (state) query = query.where('state', '=', state);
  return paged(query, 'webhook_deliveries', range).execute();
}

export async function deliveryOf(
  db: Executor,
  bucketId: string,
  id: string,
): Promise<WebhookAttemptRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

/**
 * Schedules a delivery to start over at once, at a step of the schedule. Returns false while an attempt is
 * running.
 */
export async function restartWebhookAttempt(
  db: Executor,
  { id, step, now }: { id: string; step: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', step, due_at: now, ready: 1, claim: null, finished_at: null })
    .where('id', '=', id)
    .where((row) => row.or([row('claim', 'is', null), row('due_at', '<=', now)]))
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/**
 * Schedules deliveries of a bucket to start over at once, the oldest first behind an id: those that match, but for tests,
 * what is being sent and what is due already.
 * @returns the ids of at most `limit` deliveries
 */
export async function restartWebhookAttempts(
  db: Executor,
  bucketId: string,
  { type, state, ...days }: WebhookAttemptFilter & { state: WebhookAttemptState | 'undelivered' },
  { after, limit, now }: { after: string; limit: number; now: number },
): Promise<string[]> {
  const { first, end } = idsOfDays(days);
  let found = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('id', '>', after)
    .where('type', '!=', 'webhook.test')
    .where('claim', 'is', null)
    .where((row) => row.or([row('state', '!=', 'waiting'), row('ready', '=', 0)]))
    .where('state', 'in', state === 'undelivered' ? ['waiting', 'failed'] : [state])
    .orderBy('id')
    .limit(limit);
  if (type) found = found.where('type', '=', type);
  if (first) found = found.where('id', '>=', first);
  if (end) found = found.where('id', '<', end);
  const ids = (await found.execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', step: 0, due_at: now, ready: 1, finished_at: null })
    .where('id', 'in', ids)
    .where('claim', 'is', null)
    .execute();
  return ids;
}

/** Whether a test event of a bucket waits or is being delivered. */
export async function isTestPending(db: Executor, bucketId: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where(sql<boolean>`state = 'waiting' and type = 'webhook.test'`)
    .executeTakeFirst();
  return row !== undefined;
}

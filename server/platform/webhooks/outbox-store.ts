import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../contract/limits.ts';
import type { WebhookType } from '../../contract/wire.ts';
import { claimRow } from '../db/claim-row.ts';
import { type ListRange, paged } from '../db/listing.ts';
import type { Database, Executor } from '../db/port.ts';
import type { WebhookDeliveryRow } from './tables.ts';

type NewDelivery = {
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

/** Adds deliveries in the transaction of the change that they report. */
export async function addDeliveries(tx: Executor, deliveries: NewDelivery[]): Promise<void> {
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
    created_at: now,
  }));
  if (rows.length > 0) await tx.insertInto('webhook_deliveries').values(rows).execute();
}

/**
 * Whether a delivery waits that meets a condition. PostgreSQL makes no join of a subquery with a limit, which
 * would read all deliveries where it has no statistics yet; it searches the index for each row.
 */
const hasWaiting = (condition: RawBuilder<unknown>) =>
  sql`(select 1 from webhook_deliveries where state = 'waiting' and ${condition} limit 1) is not null`;

/** The smallest value of a column among the deliveries that wait and meet a condition. */
const firstOf = (column: 'owner' | 'bucket_id', condition: RawBuilder<unknown>) =>
  sql`(select min(${sql.ref(column)}) from webhook_deliveries
    where state = 'waiting' and ${condition})`;

/**
 * Returns at most `limit` accounts with deliveries that are due, by id, after `after` or from the first. The
 * index is searched once for each account and not read for each delivery, of which one account can have any
 * number (a loose index scan).
 */
export async function findDueOwners(
  db: Executor,
  { after, now, limit }: { after: string | null; now: number; limit: number },
): Promise<string[]> {
  const start = after === null ? sql`true` : sql`owner > ${after}`;
  const isAnyDue = hasWaiting(sql`due_at <= ${now}`);
  const isDue = hasWaiting(sql`owner = due.id and due_at <= ${now}`);
  const { rows } = await sql<{ id: string }>`
    with recursive due(id) as (
      select ${firstOf('owner', start)} where ${isAnyDue}
      union all select ${firstOf('owner', sql`owner > due.id`)} from due where due.id is not null
    ) select id from due where id is not null and ${isDue} order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns at most `limit` buckets of an account with deliveries that are due, in the same way. */
export async function findDueBuckets(
  db: Executor,
  { owner, now, limit }: { owner: string; now: number; limit: number },
): Promise<string[]> {
  const own = sql`owner = ${owner}`;
  const isDue = hasWaiting(sql`${own} and bucket_id = due.id and due_at <= ${now}`);
  const next = firstOf('bucket_id', sql`${own} and bucket_id > due.id`);
  const { rows } = await sql<{ id: string }>`
    with recursive due(id) as (
      select ${firstOf('bucket_id', own)}
      union all select ${next} from due where due.id is not null
    ) select id from due where id is not null and ${isDue} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Claims the delivery of a bucket that has been due longest. The claim lasts until `until`; after that its
 * holder counts as dead.
 */
export async function claimDelivery(
  database: Database,
  claim: { owner: string; bucketId: string; token: string; now: number; until: number },
): Promise<WebhookDeliveryRow | null> {
  const { owner, bucketId, token, now, until } = claim;
  return claimRow(database, 'webhook_deliveries', {
    where: sql`
      state = 'waiting' and owner = ${owner} and bucket_id = ${bucketId} and due_at <= ${now}`,
    orderBy: sql`due_at, id`,
    set: sql`claim = ${token}, due_at = ${until}, attempted_at = ${now}, attempts = attempts + 1`,
  });
}

/** Claims a delivery in the transaction that adds it, before any other process can. */
export async function claimNewDelivery(
  tx: Executor,
  id: string,
  claim: { token: string; now: number; until: number },
): Promise<WebhookDeliveryRow> {
  return tx
    .updateTable('webhook_deliveries')
    .set({ claim: claim.token, due_at: claim.until, attempted_at: claim.now, attempts: 1 })
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
  WebhookDeliveryRow,
  'state' | 'step' | 'due_at' | 'answer_status' | 'answer_text' | 'finished_at'
>;

/** Writes the outcome of an attempt, unless another process has taken the delivery over. */
export async function settleDelivery(
  db: Executor,
  delivery: Claimed,
  result: Result,
): Promise<void> {
  await claimed(db, delivery)
    .set({ ...result, claim: null })
    .execute();
}

/** Releases a delivery as if it had not been claimed. */
export async function releaseDelivery(db: Executor, delivery: Claimed, now: number): Promise<void> {
  await claimed(db, delivery)
    .set((row) => ({ claim: null, due_at: now, attempts: row('attempts', '-', 1) }))
    .execute();
}

/** Releases all claims. Called only where no other process delivers: the claims belong to one that has died. */
export async function releaseAllDeliveries(db: Executor, now: number): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ claim: null, due_at: now })
    .where('state', '=', 'waiting')
    .where('claim', 'is not', null)
    .execute();
}

export async function listDeliveries(
  db: Executor,
  bucketId: string,
  range: ListRange,
): Promise<WebhookDeliveryRow[]> {
  const query = db.selectFrom('webhook_deliveries').selectAll().where('bucket_id', '=', bucketId);
  return paged(query, 'webhook_deliveries', range).execute();
}

export async function deliveryOf(
  db: Executor,
  bucketId: string,
  id: string,
): Promise<WebhookDeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Schedules a delivery to start over at once, at a step of the schedule. Returns false while an attempt is
 * running.
 */
export async function restartDelivery(
  db: Executor,
  { id, step, now }: { id: string; step: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', step, due_at: now, claim: null, finished_at: null })
    .where('id', '=', id)
    .where((row) => row.or([row('claim', 'is', null), row('due_at', '<=', now)]))
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Whether an event of this type waits or is being delivered. */
export async function isEventPending(
  db: Executor,
  bucketId: string,
  type: WebhookType,
): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('type', '=', type)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return row !== undefined;
}

type Bounds = { ttlMs: number; maxEnded: number; maxWaiting: number };

/** How long ended deliveries are kept, and how many ended and waiting ones each bucket can have. */
const BOUNDS: Bounds = { ttlMs: 7 * DAY, maxEnded: 1_000, maxWaiting: 10_000 };

/**
 * Deletes ended deliveries that are too old or too many, and gives up the oldest ones of a bucket for which
 * too many wait, so that a dead endpoint does not fill the disk.
 */
export async function trimDeliveries(
  db: Executor,
  now: number,
  { ttlMs, maxEnded, maxWaiting }: Bounds = BOUNDS,
): Promise<void> {
  const beyond = (condition: ReturnType<typeof sql>, limit: number) => sql`
    select id from (
      select id, row_number() over (partition by bucket_id order by id desc) as place
      from webhook_deliveries where ${condition}
    ) as counted where place > ${limit}`;
  await sql`
    update webhook_deliveries
    set state = 'failed', claim = null, finished_at = ${now},
      answer_text = 'Given up: too many deliveries were waiting, or this one waited too long.'
    where state = 'waiting' and (
      created_at < ${now - 2 * ttlMs} or id in (${beyond(sql`state = 'waiting'`, maxWaiting)})
    )`.execute(db);
  await db
    .deleteFrom('webhook_deliveries')
    .where('finished_at', '<', now - ttlMs)
    .execute();
  await sql`
    delete from webhook_deliveries
    where id in (${beyond(sql`state <> 'waiting'`, maxEnded)})`.execute(db);
}

import { type RawBuilder, sql } from 'kysely';
import { claimRow, markReady } from '../db/claim-row.ts';
import { INLINE_MARK } from '../db/inline-read.ts';
import type { Database, Executor } from '../db/port.ts';
import type { WebhookAttemptRow } from './tables.ts';

/** The conditions of the indexes, word for word, as SQLite uses a partial index only for the same literals. */
const READY = sql`state = 'waiting' and ready = 1`;
const DELAYED = sql`state = 'waiting' and ready = 0`;

const MARK_BATCH_SIZE = 500;

/**
 * Marks some deliveries as ready that have become due. What is looked for among them is found in the index
 * of those that are ready, and never walks over what waits for its next attempt.
 */
export async function markDueWebhookAttempts(database: Database, now: number): Promise<void> {
  const due = sql`${DELAYED} and due_at <= ${now}`;
  // On SQLite an update takes its turn among the writers, also where it changes nothing.
  const { rows } =
    await sql`select id from webhook_deliveries where ${due} limit 1 ${sql.raw(INLINE_MARK)}`.execute(
      database.db,
    );
  if (rows.length === 0) return;
  const first = { where: due, orderBy: sql`due_at` };
  await markReady(database, 'webhook_deliveries', first, MARK_BATCH_SIZE);
}

/** Returns at most `limit` accounts with deliveries that are due, by id, after `after` or from the first. */
export function findDueOwners(
  db: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  return findDue(db, { column: 'owner', among: sql`true`, after, limit });
}

/** Returns at most `limit` buckets of an account with deliveries that are due, in the same way. */
export function findDueBuckets(
  db: Executor,
  { owner, after, limit }: { owner: string; after: string | null; limit: number },
): Promise<string[]> {
  return findDue(db, { column: 'bucket_id', among: sql`owner = ${owner}`, after, limit });
}

/**
 * Returns the next values of a column among the deliveries that are due. The index is searched once for each
 * value and not read for each delivery, of which one bucket can have any number (a loose index scan).
 */
async function findDue(
  db: Executor,
  search: {
    column: 'owner' | 'bucket_id';
    among: RawBuilder<unknown>;
    after: string | null;
    limit: number;
  },
): Promise<string[]> {
  const { among, after, limit } = search;
  const column = sql.ref(search.column);
  // For `min` PostgreSQL could read all of the index, where its statistics are not up to date.
  const { rows } = await sql<{ id: string }>`
    with recursive due(id, place) as (
      select ${after ?? ''}, 0
      union all
      select (
        select ${column} from webhook_deliveries
        where ${READY} and ${among} and ${column} > due.id order by ${column} limit 1
      ), place + 1 from due where due.id is not null and place < ${limit}
    ) select id from due where id is not null and place > 0 order by place
    ${sql.raw(INLINE_MARK)}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Claims the delivery of a bucket that has been due longest. The claim lasts until `until`; after that its
 * holder counts as dead.
 */
export async function claimWebhookAttempt(
  database: Database,
  claim: { owner: string; bucketId: string; token: string; now: number; until: number },
): Promise<WebhookAttemptRow | null> {
  const { owner, bucketId, token, now, until } = claim;
  return claimRow(database, 'webhook_deliveries', {
    from: [
      {
        where: sql`${READY} and owner = ${owner} and bucket_id = ${bucketId}`,
        orderBy: sql`due_at, id`,
      },
    ],
    set: sql`claim = ${token}, due_at = ${until}, ready = 0, attempted_at = ${now},
      attempts = attempts + 1`,
  });
}

/**
 * Releases the claims that end by `until`. Called only where no other process delivers: the claims belong to
 * one that has died.
 */
export async function releaseAllWebhookAttempts(
  db: Executor,
  { now, until }: { now: number; until: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set claim = null, due_at = ${now}
    where ${DELAYED} and due_at > ${now} and due_at <= ${until} and claim is not null`.execute(db);
}

import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../contract/limits.ts';
import type { Candidates } from '../db/claim-row.ts';
import { deleteRows, olderThan } from '../db/delete-rows.ts';
import type { Executor } from '../db/port.ts';
import { firstIdAt } from '../ids.ts';
import { inSlices } from '../slices.ts';

/** How long ended deliveries are kept, in milliseconds. Those that wait are given up after twice this time. */
const TTL_MS = 7 * DAY;

type Bounds = { maxEnded: number; maxWaiting: number };

/** How many ended and waiting deliveries a bucket can have. */
const BOUNDS: Bounds = { maxEnded: 1_000, maxWaiting: 10_000 };

/** When it is trimmed, and what ends the work, which is done in slices. */
type Trim = { now: number; signal: AbortSignal };

/** Deletes deliveries that ended long ago, and gives up those that have waited for too long. */
export async function trimWebhookAttempts(db: Executor, trim: Trim): Promise<void> {
  const endedBefore = trim.now - TTL_MS;
  await deleteWebhookAttempts(db, olderThan('finished_at', endedBefore), trim);
  // Ids sort by time, and hardly anything else is as old.
  await giveUp(db, sql`id < ${firstIdAt(trim.now - 2 * TTL_MS)}`, trim);
}

/**
 * Deletes the oldest ended deliveries of a bucket that has too many, and gives up the oldest for which too
 * many wait, so that a dead endpoint does not fill the disk.
 */
export async function trimBucket(
  db: Executor,
  bucketId: string,
  trim: Trim,
  { maxEnded, maxWaiting }: Bounds = BOUNDS,
): Promise<void> {
  const waiting = await findBeyond(db, bucketId, sql`state = 'waiting'`, maxWaiting);
  if (waiting) await giveUp(db, waiting, trim);
  const ended = await findBeyond(db, bucketId, sql`state <> 'waiting'`, maxEnded);
  if (ended) await deleteWebhookAttempts(db, { where: ended, orderBy: sql`id` }, trim);
}

/** Returns the condition of a bucket's deliveries that are older than its newest `limit`; null without any. */
async function findBeyond(
  db: Executor,
  bucketId: string,
  state: RawBuilder<unknown>,
  limit: number,
): Promise<RawBuilder<unknown> | null> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_deliveries where bucket_id = ${bucketId} and ${state}
    order by id desc limit 1 offset ${limit}`.execute(db);
  const [newest] = rows;
  return newest ? sql`bucket_id = ${bucketId} and ${state} and id <= ${newest.id}` : null;
}

const deleteWebhookAttempts = (db: Executor, which: Candidates, { signal }: Trim) =>
  deleteRows(db, 'webhook_deliveries', which, signal);

const giveUp = (db: Executor, which: RawBuilder<unknown>, { now, signal }: Trim) =>
  inSlices(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      update webhook_deliveries
      set state = 'failed', claim = null, finished_at = ${now},
        answer_text = 'Given up: too many deliveries were waiting, or this one waited too long.'
      where state = 'waiting' and id in (
        select id from webhook_deliveries where ${which} and state = 'waiting' order by id limit ${limit}
      )`.execute(db);
    return Number(numAffectedRows);
  }, signal);

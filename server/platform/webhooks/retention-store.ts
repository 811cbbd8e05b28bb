import { sql } from 'kysely';
import { DAY } from '../../contract/limits.ts';
import type { Executor } from '../db/port.ts';

export type Bounds = { life: number; kept: number; waiting: number };

/** For how long, and how many of each bucket: ended ones to look at, and such as still wait. */
const BOUNDS: Bounds = { life: 7 * DAY, kept: 1_000, waiting: 10_000 };

/**
 * Removes ended deliveries that are old or too many, and gives up the oldest of a bucket for which
 * too many wait: a dead endpoint must not fill the disk.
 */
export async function trimDeliveries(
  db: Executor,
  now: number,
  { life, kept, waiting }: Bounds = BOUNDS,
): Promise<void> {
  const beyond = (condition: ReturnType<typeof sql>, most: number) => sql`
    select id from (
      select id, row_number() over (partition by bucket_id order by id desc) as place
      from webhook_deliveries where ${condition}
    ) as counted where place > ${most}`;
  await sql`
    update webhook_deliveries
    set state = 'failed', claim = null, finished_at = ${now},
      answer_text = 'Given up: too many deliveries were waiting, or this one waited too long.'
    where state = 'waiting' and (
      created_at < ${now - 2 * life} or id in (${beyond(sql`state = 'waiting'`, waiting)})
    )`.execute(db);
  await db
    .deleteFrom('webhook_deliveries')
    .where('finished_at', '<', now - life)
    .execute();
  await sql`
    delete from webhook_deliveries
    where id in (${beyond(sql`state <> 'waiting'`, kept)})`.execute(db);
}

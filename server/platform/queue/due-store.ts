import { sql } from 'kysely';
import { markReady } from '../db/claim-row.ts';
import { INLINE_MARK } from '../db/inline-read.ts';
import type { Database, Executor } from '../db/port.ts';
import { DELAYED, READY, RUNNING } from './store.ts';

const MARK_BATCH_SIZE = 500;

/** A kind with jobs to lease. `isMarkingDue` where some have become due that are not marked yet. */
export type DueKind = { kind: string; isMarkingDue: boolean };

/**
 * Returns which of these kinds have jobs that are due, or whose lease ran out by `expiry`. It searches an
 * index thrice for each kind, however many jobs there are. Times are epoch milliseconds.
 */
export async function findDueKinds(
  db: Executor,
  { kinds, now, expiry }: { kinds: string[]; now: number; expiry: number },
): Promise<DueKind[]> {
  if (kinds.length === 0) return [];
  // PostgreSQL makes a join of `exists`, which reads all jobs where it has no statistics yet.
  const has = (condition: ReturnType<typeof sql>) => sql`case when
    (select 1 from jobs where jobs.kind = kinds.kind and ${condition} limit 1) is null then 0 else 1 end`;
  const { rows } = await sql<{ kind: string; ready: number; expired: number; delayed: number }>`
    with kinds(kind) as (values ${sql.join(kinds.map((kind) => sql`(${kind})`))})
    select kind, ${has(READY)} as ready, ${has(sql`${RUNNING} and lease_until <= ${expiry}`)} as expired,
      ${has(sql`${DELAYED} and run_at <= ${now}`)} as delayed
    from kinds ${sql.raw(INLINE_MARK)}`.execute(db);
  return rows
    .filter(({ ready, expired, delayed }) => ready + expired + delayed > 0)
    .map(({ kind, delayed }) => ({ kind, isMarkingDue: delayed === 1 }));
}

/**
 * Marks some jobs of a kind as ready that have become due. A claim reads the index of those that are ready
 * in the order of turns, so that it need not walk over jobs that wait for a later time.
 */
export function markDueJobs(database: Database, kind: string, now: number): Promise<void> {
  const due = sql`${DELAYED} and kind = ${kind} and run_at <= ${now}`;
  return markReady(database, 'jobs', { where: due, orderBy: sql`run_at` }, MARK_BATCH_SIZE);
}

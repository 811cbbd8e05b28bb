import { type RawBuilder, sql } from 'kysely';
import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';
import { DELAYED, FAILED, READY, RUNNING } from './store.ts';
import type { JobRow } from './tables.ts';

/** Jobs of a kind are counted up to this number, as counting reads each of them. */
export const MAX_COUNTED = 100_000;

type OpenState = 'queued' | 'running' | 'failed';
export type JobCount = { state: OpenState; kind: string; count: number };

/** Returns how many jobs are queued, running and failed, by kind, each up to `limit`. */
export async function openCounts(db: Executor, limit = MAX_COUNTED): Promise<JobCount[]> {
  const count = (condition: RawBuilder<boolean>) => countKinds(db, condition, limit);
  const [ready, delayed, running, failed] = await Promise.all([
    count(READY),
    count(DELAYED),
    count(RUNNING),
    count(FAILED),
  ]);
  for (const [kind, number] of delayed) {
    ready.set(kind, Math.min(limit, number + (ready.get(kind) ?? 0)));
  }
  const toCounts = (state: OpenState, kinds: Map<string, number>) =>
    [...kinds].map(([kind, number]) => ({ state, kind, count: number }));
  return [
    ...toCounts('queued', ready),
    ...toCounts('running', running),
    ...toCounts('failed', failed),
  ];
}

/** Returns the id of the job that has been first in the line of its kind for longest; null where none waits. */
export async function firstInLine(db: Executor): Promise<string | null> {
  const next = db
    .selectFrom('jobs')
    .select('id')
    .where(READY)
    .orderBy('turn')
    .orderBy('run_at')
    .orderBy('id')
    .limit(1);
  const kinds = await findKinds(db, READY);
  const firsts = await Promise.all(kinds.map((kind) => next.where('kind', '=', kind).execute()));
  return (
    firsts
      .flat()
      .map(({ id }) => id)
      .sort()[0] ?? null
  );
}

/** Returns at most `limit` jobs that run or have failed, the newest first. */
export async function listJobs(
  db: Executor,
  state: 'running' | 'failed',
  limit: number,
): Promise<JobRow[]> {
  const condition = state === 'running' ? RUNNING : FAILED;
  const newest = db
    .selectFrom('jobs')
    .selectAll()
    .where(condition)
    .orderBy('id', 'desc')
    .limit(limit);
  // The index has the newest of each kind.
  const kinds = await findKinds(db, condition);
  const rows = await Promise.all(kinds.map((kind) => newest.where('kind', '=', kind).execute()));
  return rows.flat().sort(newestFirst).slice(0, limit);
}

/** A job that waits for its next attempt after one that failed, or that was given up. */
export type FailingJob = Pick<JobRow, 'state' | 'error' | 'attempts' | 'finished_at'>;

/**
 * Returns jobs of a kind that fail: one of those that will be tried again, and the newest of those given up. It is for
 * kinds that are delayed after failures only, because the jobs that are delayed without one are read too.
 */
export async function findFailing(
  db: Executor,
  kind: string,
  limit: number,
): Promise<FailingJob[]> {
  const some = db
    .selectFrom('jobs')
    .select(['state', 'error', 'attempts', 'finished_at'])
    .where('kind', '=', kind)
    .$call(inlineRead);
  const retried = [DELAYED, RUNNING].map((condition) =>
    some.where(condition).where('error', 'is not', null).limit(1).execute(),
  );
  const givenUp = some.where(FAILED).orderBy('id', 'desc').limit(limit).execute();
  return (await Promise.all([...retried, givenUp])).flat();
}

const newestFirst = (one: JobRow, other: JobRow) => (one.id < other.id ? 1 : -1);

/** Counts the jobs that meet the condition of an index, by kind, each up to `limit`. */
async function countKinds(
  db: Executor,
  condition: RawBuilder<boolean>,
  limit: number,
): Promise<Map<string, number>> {
  const kinds = await findKinds(db, condition);
  const some = db.selectFrom('jobs').select('id').where(condition).limit(limit);
  const count = async (kind: string) => {
    const counted = db.selectFrom(some.where('kind', '=', kind).as('counted'));
    const row = await counted
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return [kind, row?.count ?? 0] as const;
  };
  return new Map(await Promise.all(kinds.map(count)));
}

/**
 * Returns the kinds of the jobs that meet the condition of an index. The index is searched for the next
 * kind, so that the other jobs of a kind are not read (a loose index scan).
 */
async function findKinds(db: Executor, condition: RawBuilder<boolean>): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    with recursive kinds(kind) as (
      select ''
      union all
      select (
        select kind from jobs where ${condition} and kind > kinds.kind order by kind limit 1
      ) from kinds where kinds.kind is not null
    ) select kind from kinds where kind <> ''`.execute(db);
  return rows.map(({ kind }) => kind);
}

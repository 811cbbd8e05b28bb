import { sql } from 'kysely';
import type { Statement } from '../db/batch.ts';
import { deleteRows, olderThan } from '../db/delete-rows.ts';
import { inlineRead } from '../db/inline-read.ts';
import type { Executor, Tx } from '../db/port.ts';
import { prepareStatement } from '../db/prepare-statement.ts';
import type { JobRow } from './tables.ts';

/**
 * The conditions of the indexes of jobs, word for word: SQLite uses a partial index only where the query
 * has its condition in literals.
 */
export const READY = sql<boolean>`state = 'queued' and ready = 1`;
export const DELAYED = sql<boolean>`state = 'queued' and ready = 0`;
export const RUNNING = sql<boolean>`state = 'running'`;
export const FAILED = sql<boolean>`state = 'failed'`;
export const UNFINISHED = sql<boolean>`state in ('queued', 'running')`;

type NewJob = {
  id: string;
  kind: string;
  subject: string;
  owner: string | null;
  payload: string;
  runAt: number;
  now: number;
};

/** Returns the statement that inserts a queued job. Times are epoch milliseconds. */
export const jobInsertion = (db: Executor, job: NewJob): Statement => ({
  query: insert.query(db, { ...job, ready: job.runAt <= job.now ? 1 : 0 }),
});

const insert = prepareStatement((db, job: NewJob & { ready: 0 | 1 }) =>
  db.insertInto('jobs').values({
    id: job.id,
    kind: job.kind,
    subject: job.subject,
    owner: job.owner,
    turn: newTurn(job),
    payload: job.payload,
    state: 'queued',
    attempts: 0,
    interruptions: 0,
    run_at: job.runAt,
    ready: job.ready,
    progress: 0,
    created_at: job.now,
  }),
);

/**
 * Returns the turn of a new job, by which owners alternate however many jobs one of them adds
 * (start-time fair queueing): the one after the owner's last, and not below the jobs that run or could run
 * now.
 */
export async function turnOf(db: Executor, kind: string, owner: string): Promise<number> {
  const { rows } = await selectTurns(db, { kind, owner });
  const { ready = null, running = null, own = null } = rows[0] ?? {};
  const now = Math.min(ready ?? running ?? 0, running ?? ready ?? 0);
  return Math.max(now, (own ?? -1) + 1);
}

type Turns = { ready: number | null; running: number | null; own: number | null };

/** For `min` PostgreSQL could read all of the index, where its statistics are not up to date. */
const turns = ({ kind, owner }: Pick<NewJob, 'kind' | 'owner'>) => sql<Turns>`
    select
      (select turn from jobs where ${READY} and kind = ${kind} order by turn limit 1) as ready,
      (select turn from jobs where ${RUNNING} and kind = ${kind} order by turn limit 1) as running,
      (select turn from jobs where ${UNFINISHED} and kind = ${kind} and owner = ${owner}
        order by turn desc limit 1) as own`;

const selectTurns = prepareStatement((_db, of: { kind: string; owner: string }) => turns(of));

/** The turn of `turnOf` in one statement, where jobs without an owner have the turn 0. */
const newTurn = (of: Pick<NewJob, 'kind' | 'owner'>) => sql<number>`(
  select case
      when cast(${of.owner} as text) is null then 0
      when own >= current then own + 1
      else current
    end
  from (
    select own, case when ready < running then ready else coalesce(running, ready, 0) end as current
    from (${turns(of)}) as turns) as now)`;

/** Ends the unfinished jobs about these subjects. `now` is in epoch milliseconds. */
export async function cancelJobs(tx: Executor, subjects: string[], now: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      state: 'cancelled',
      lease_token: null,
      lease_until: null,
      payload: '',
      finished_at: now,
    })
    .where('subject', 'in', subjects)
    .where(UNFINISHED)
    .execute();
}

/** Returns how far the unfinished jobs about these subjects are, in per cent, by subject. */
export async function progressOf(db: Executor, subjects: string[]): Promise<Map<string, number>> {
  if (subjects.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .select(['subject', 'progress'])
    .where('subject', 'in', subjects)
    .where(UNFINISHED)
    .execute();
  return new Map(rows.map((row) => [row.subject, row.progress]));
}

/** Returns the state and the attempts of the newest job about a subject. */
export async function stateOf(
  db: Executor,
  subject: string,
): Promise<Pick<JobRow, 'state' | 'attempts'> | undefined> {
  return db
    .selectFrom('jobs')
    .select(['state', 'attempts'])
    .where('subject', '=', subject)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Returns the progress and the attempts of the newest job of a kind about a subject. */
export async function workOn(
  db: Executor,
  kind: string,
  subject: string,
): Promise<Pick<JobRow, 'progress' | 'attempts'> | undefined> {
  return db
    .selectFrom('jobs')
    .select(['progress', 'attempts'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Returns a job that has failed. */
export async function failedJob(db: Executor, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns the newest job about a subject if it has failed. */
export async function failedJobAbout(db: Executor, subject: string): Promise<JobRow | undefined> {
  // With the state in the query, PostgreSQL could read all failed jobs.
  const newest = await db
    .selectFrom('jobs')
    .selectAll()
    .where('subject', '=', subject)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return newest?.state === 'failed' ? newest : undefined;
}

/** Queues a failed job as if it had never run. Returns false where it is not failed any more. */
export async function retryJob(tx: Tx, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({
      state: 'queued',
      ready: 1,
      attempts: 0,
      interruptions: 0,
      progress: 0,
      error: null,
      run_at: now,
      finished_at: null,
    })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Deletes the rows of jobs that ended before a time, in epoch milliseconds. */
export const forgetJobs = (db: Executor, before: number, signal: AbortSignal) =>
  deleteRows(db, 'jobs', olderThan('finished_at', before), signal);

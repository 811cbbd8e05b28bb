import { sql } from 'kysely';
import { claimRow } from '../db/claim-row.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import type { JobRow, JobState } from './tables.ts';

/** As the index of jobs that are of interest has it, word for word: SQLite wants that. */
const OPEN = sql<boolean>`state in ('queued', 'running', 'failed')`;

export type NewJob = {
  id: string;
  kind: string;
  subject: string;
  owner: string | null;
  turn: number;
  payload: string;
  runAt: number;
  now: number;
};

export async function insertJob(db: Executor, job: NewJob): Promise<void> {
  await db
    .insertInto('jobs')
    .values({
      id: job.id,
      kind: job.kind,
      subject: job.subject,
      owner: job.owner,
      turn: job.turn,
      payload: job.payload,
      state: 'queued',
      attempts: 0,
      run_at: job.runAt,
      progress: 0,
      created_at: job.now,
    })
    .execute();
}

/**
 * Whose turn a new job is, so that owners take turns however many jobs one of them adds: after
 * the last of its owner's, but not before what is being done now (start-time fair queueing).
 */
export async function turnOf(db: Executor, kind: string, owner: string): Promise<number> {
  const unfinished = db
    .selectFrom('jobs')
    .where('kind', '=', kind)
    .where('state', 'in', ['queued', 'running']);
  const [now, own] = await Promise.all([
    unfinished.select((row) => row.fn.min('turn').as('turn')).executeTakeFirst(),
    unfinished
      .select((row) => row.fn.max('turn').as('turn'))
      .where('owner', '=', owner)
      .executeTakeFirst(),
  ]);
  return Math.max(now?.turn ?? 0, (own?.turn ?? -1) + 1);
}

/** Takes the job of this kind whose turn it is, or one whose lease ran out by `expiry`. */
export async function leaseJob(
  database: Database,
  lease: { kind: string; token: string; now: number; until: number; expiry?: number },
): Promise<JobRow | null> {
  const { kind, token, now, until, expiry = now } = lease;
  return claimRow(database, 'jobs', {
    where: sql`kind = ${kind} and (
      (state = 'queued' and run_at <= ${now}) or (state = 'running' and lease_until <= ${expiry})
    )`,
    orderBy: sql`turn, run_at, id`,
    set: sql`state = 'running', attempts = attempts + 1, lease_token = ${token}, lease_until = ${until}`,
  });
}

type Held = { id: string; token: string };

const held = (db: Executor, job: Held) =>
  db
    .updateTable('jobs')
    .where('id', '=', job.id)
    .where('lease_token', '=', job.token)
    .where('state', '=', 'running');

/** Each answers whether the lease was still held; where it was not, nothing changed. */
const changed = (result: { numUpdatedRows: bigint }) => result.numUpdatedRows === 1n;

export async function extendLease(
  db: Executor,
  job: Held,
  until: number,
  progress: number,
): Promise<boolean> {
  return changed(
    await held(db, job).set({ lease_until: until, progress }).executeTakeFirstOrThrow(),
  );
}

export async function finishJob(tx: Tx, job: Held, now: number): Promise<boolean> {
  return changed(
    await held(tx, job)
      .set({ state: 'done', lease_token: null, lease_until: null, payload: '', finished_at: now })
      .executeTakeFirstOrThrow(),
  );
}

/** `isLast` where it can't be done again; then there is no use for its payload. */
export async function failJob(
  tx: Tx,
  job: Held,
  reason: string,
  now: number,
  isLast: boolean,
): Promise<boolean> {
  return changed(
    await held(tx, job)
      .set({
        state: 'failed',
        lease_token: null,
        lease_until: null,
        ...(isLast && { payload: '' }),
        error: reason,
        finished_at: now,
      })
      .executeTakeFirstOrThrow(),
  );
}

export async function requeueJob(
  tx: Executor,
  job: Held,
  reason: string,
  runAt: number,
): Promise<boolean> {
  return changed(
    await held(tx, job)
      .set({ state: 'queued', lease_token: null, lease_until: null, error: reason, run_at: runAt })
      .executeTakeFirstOrThrow(),
  );
}

/** Gives a job back as if it had never been taken: its worker stops before the work began to count. */
export async function releaseJob(db: Executor, job: Held, now: number): Promise<void> {
  await held(db, job)
    .set((row) => ({
      state: 'queued',
      attempts: row('attempts', '-', 1),
      lease_token: null,
      lease_until: null,
      run_at: now,
    }))
    .execute();
}

/** Only where no other process can hold a lease: frees what a dead predecessor was doing. */
export async function releaseAll(db: Executor, now: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ state: 'queued', lease_token: null, lease_until: null, run_at: now })
    .where('state', '=', 'running')
    .execute();
}

export async function cancelJobs(tx: Executor, subject: string, now: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      state: 'cancelled',
      lease_token: null,
      lease_until: null,
      payload: '',
      finished_at: now,
    })
    .where('subject', '=', subject)
    .where('state', 'in', ['queued', 'running'])
    .execute();
}

/** Per cent done of the unfinished jobs about these subjects. */
export async function progressOf(db: Executor, subjects: string[]): Promise<Map<string, number>> {
  if (subjects.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .select(['subject', 'progress'])
    .where('subject', 'in', subjects)
    .where('state', 'in', ['queued', 'running'])
    .execute();
  return new Map(rows.map((row) => [row.subject, row.progress]));
}

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

/** How many jobs wait, run and have failed, by kind. */
export async function openCounts(
  db: Executor,
): Promise<{ state: JobState; kind: string; count: number }[]> {
  return db
    .selectFrom('jobs')
    .select(({ fn }) => ['state', 'kind', fn.countAll<number>().as('count')])
    .where(OPEN)
    .groupBy(['state', 'kind'])
    .execute();
}

export async function inState(db: Executor, state: JobState, most: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where(OPEN)
    .where('state', '=', state)
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
}

export async function failedJob(db: Executor, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .executeTakeFirst();
}

/** A failed job waits again, as if it had never been tried. */
export async function retryJob(tx: Tx, id: string, now: number): Promise<boolean> {
  return changed(
    await tx
      .updateTable('jobs')
      .set({ state: 'queued', attempts: 0, error: null, run_at: now, finished_at: null })
      .where('id', '=', id)
      .where('state', '=', 'failed')
      .executeTakeFirstOrThrow(),
  );
}

/** Ended jobs are of no use after a while. */
export async function forgetJobs(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('jobs').where('finished_at', '<', before).execute();
}

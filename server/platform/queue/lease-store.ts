import { sql } from 'kysely';
import { SECOND } from '../../contract/limits.ts';
import type { Statement } from '../db/batch.ts';
import { claimOf } from '../db/claim-row.ts';
import { INLINE_MARK } from '../db/inline-read.ts';
import type { Database, Executor, Tx } from '../db/port.ts';
import { prepareStatement } from '../db/prepare-statement.ts';
import { READY, RUNNING, turnOf } from './store.ts';
import type { JobRow } from './tables.ts';

/** How much longer a job waits after each interruption, multiplied by their number. */
const INTERRUPTION_DELAY_MS = 15 * SECOND;

/**
 * Leases the next job of a kind until `until`: one whose lease ran out by `expiry`, or else the first that
 * is ready. A lease that ran out was interrupted by the end of its process, of which the job is hardly ever
 * the reason, so it goes on with the same attempt. Returns null where there is none. Times are epoch
 * milliseconds.
 */
export async function leaseJob(database: Database, lease: NewLease): Promise<JobRow | null> {
  // Each finished job is followed by a look for the next one. On SQLite that read costs next to nothing, where
  // an update of no row is a commit.
  const { kind, expiry } = lease;
  const canBeEmpty = database.engine === 'sqlite';
  if (canBeEmpty && !(await hasDueJob(database.db, kind, expiry))) return null;
  const { rows } = await claims[database.engine](database.db, lease);
  return rows[0] ?? null;
}

const selectDue = prepareStatement(
  (_db, { kind, expiry }: { kind: string; expiry: number }) => sql<{ due: number | null }>`
    select coalesce(
      (select 1 from jobs where ${READY} and kind = ${kind} order by turn limit 1),
      (select 1 from jobs where ${RUNNING} and kind = ${kind} and lease_until <= ${expiry} limit 1)
    ) as due ${sql.raw(INLINE_MARK)}`,
);

async function hasDueJob(db: Executor, kind: string, expiry: number): Promise<boolean> {
  return (await selectDue(db, { kind, expiry })).rows[0]?.due === 1;
}

type NewLease = { kind: string; token: string; now: number; expiry: number; until: number };

const claimJob = (engine: Database['engine']) =>
  prepareStatement((_db, { kind, token, now, expiry, until }: NewLease) =>
    claimOf(engine, 'jobs', {
      from: [
        {
          where: sql`${RUNNING} and kind = ${kind} and lease_until <= ${expiry}`,
          orderBy: sql`lease_until`,
        },
        { where: sql`${READY} and kind = ${kind}`, orderBy: sql`turn, run_at, id` },
      ],
      set: sql`state = 'running', ready = 0, started_at = ${now}, lease_token = ${token},
        lease_until = ${until},
        attempts = attempts + case when state = 'running' then 0 else 1 end,
        interruptions = interruptions + case when state = 'running' then 1 else 0 end`,
    }),
  );

const claims = { sqlite: claimJob('sqlite'), postgres: claimJob('postgres') };

/** What a process holds of a job: the token tells its lease from that of a process that took over. */
export type Lease = { id: string; token: string };

/** Only a running job has a token. */
const leased = (db: Executor, job: Lease) =>
  db.updateTable('jobs').where('id', '=', job.id).where('lease_token', '=', job.token);

const deleteLeased = prepareStatement((tx, job: Lease) =>
  tx.deleteFrom('jobs').where('id', '=', job.id).where('lease_token', '=', job.token),
);

const finishLeased = prepareStatement((tx, { now, ...job }: Lease & { now: number }) =>
  leased(tx, job).set({
    state: 'done',
    lease_token: null,
    lease_until: null,
    payload: '',
    finished_at: now,
  }),
);

const extendLeased = prepareStatement(
  (db, { until, progress, ...job }: Lease & { until: number; progress: number }) =>
    leased(db, job).set({ lease_until: until, progress }),
);

const isUpdated = (result: { numUpdatedRows: bigint }) => result.numUpdatedRows === 1n;

/**
 * Returns the statement that renews a lease and writes the progress down. Its guard fails where the lease is
 * lost.
 */
export const extension = (
  db: Executor,
  { id, token }: Lease,
  to: { until: number; progress: number },
  otherwise: () => unknown,
): Statement => ({
  query: extendLeased.query(db, { id, token, ...to }),
  expect: 1,
  otherwise,
});

/**
 * Returns the statement that ends a job which has succeeded. Its guard fails where the lease is lost.
 * @param options.isKept whether its row stays for a while; otherwise it is deleted
 */
export const completion = (
  db: Executor,
  { id, token }: Lease,
  { now, isKept }: { now: number; isKept: boolean },
  otherwise: () => unknown,
): Statement => ({
  query: isKept
    ? finishLeased.query(db, { id, token, now })
    : deleteLeased.query(db, { id, token }),
  expect: 1,
  otherwise,
});

/**
 * Gives a job up. Returns false where the lease is lost, and then changes nothing.
 * @param isLast whether nobody can retry it; then its payload is dropped
 */
export async function failJob(
  tx: Tx,
  job: Lease,
  reason: string,
  now: number,
  isLast: boolean,
): Promise<boolean> {
  return isUpdated(
    await leased(tx, job)
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

/** Schedules the next attempt of a job that has failed. Returns false where the lease is lost. */
export async function requeueJob(
  tx: Executor,
  job: Lease,
  reason: string,
  runAt: number,
): Promise<boolean> {
  return isUpdated(
    await leased(tx, job)
      .set({ state: 'queued', lease_token: null, lease_until: null, error: reason, run_at: runAt })
      .executeTakeFirstOrThrow(),
  );
}

/** Gives a job back as if it had never been leased, so that the attempt does not count. */
export async function releaseJob(
  db: Executor,
  job: Lease,
  now: number,
  reason?: string,
): Promise<void> {
  await leased(db, job)
    .set((row) => ({
      state: 'queued',
      ...(reason !== undefined && { error: reason }),
      attempts: row('attempts', '-', 1),
      lease_token: null,
      lease_until: null,
      run_at: now,
    }))
    .execute();
}

/**
 * Gives a job back as one of another kind, in which its owner gets a turn like everybody else. The attempt
 * does not count.
 */
export async function moveJob(
  database: Database,
  job: Lease & Pick<JobRow, 'owner'>,
  kind: string,
  now: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const turn = job.owner === null ? 0 : await turnOf(tx, kind, job.owner);
    await leased(tx, job).set({ kind, turn, ready: 1, progress: 0 }).execute();
    await releaseJob(tx, job, now);
  });
}

/**
 * Gives a job back whose turn is over, so that other owners get theirs. It has got further, so its earlier
 * attempts, which may have been interrupted, don't count any more.
 */
export async function endTurn(
  database: Database,
  { kind, owner }: Pick<JobRow, 'kind' | 'owner'>,
  job: Lease,
  now: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const turn = owner === null ? 0 : await turnOf(tx, kind, owner);
    await leased(tx, job)
      .set({
        state: 'queued',
        ready: 1,
        attempts: 0,
        interruptions: 0,
        turn,
        lease_token: null,
        lease_until: null,
        run_at: now,
      })
      .execute();
  });
}

/**
 * Ends all leases. Called only where no other process works: they belong to one that has died. That is no
 * attempt, but a job that is interrupted again and again waits longer each time, as it may be the reason.
 */
export async function releaseAllJobs(db: Executor, now: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set((row) => ({
      state: 'queued',
      attempts: row('attempts', '-', 1),
      interruptions: row('interruptions', '+', 1),
      lease_token: null,
      lease_until: null,
      run_at: sql<number>`${now} + interruptions * interruptions * ${INTERRUPTION_DELAY_MS}`,
    }))
    .where(RUNNING)
    .execute();
}

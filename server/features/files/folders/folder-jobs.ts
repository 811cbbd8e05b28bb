import { DAY, MINUTE } from '../../../contract/limits.ts';
import type { FolderJobWire } from '../../../contract/wire.ts';
import { conflict, invalid, notFound, tooMany } from '../../../errors.ts';
import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { lockUser } from '../../accounts/service.ts';
import { type Bucket, bucketBeingDeleted } from '../../buckets/service.ts';
import { fileAt } from '../paths/insertion-store.ts';
import type { FolderJobFailureRow, FolderJobRow } from '../tables.ts';
import { FolderCopies, type FolderCopyDeps } from './folder-copies.ts';
import { changeSlice, type SliceDeps } from './folder-slices.ts';
import * as store from './job-store.ts';
import { hasEntries } from './marker-store.ts';

const JOB_TTL_MS = 7 * DAY;
const BATCH_SIZE = 256;
const CONCURRENCY = 4;
const LISTED_JOBS = 20;
/** Each keeps the database and the storage busy. */
const MAX_JOBS_PER_ACCOUNT = 4;
const RETRY_AFTER_MS = MINUTE;
/** A slice keeps the database busy for some 10 ms, and others get as long between two of them. */
const MIN_PAUSE_MS = 1;
const MAX_PAUSE_MS = 50;

type Deps = SliceDeps & FolderCopyDeps;

/** What to do with a folder. `target` is where it goes. Both paths end in '/'. */
export type FolderChange =
  | { action: 'delete'; source: string }
  | { action: 'move'; source: string; target: string }
  | { action: 'copy'; source: string; target: string; targetBucketId: string };

/** Moves, copies and deletes folders, however many files they have, as jobs that can be watched and stopped. */
export class FolderJobs {
  private readonly running = new Set<string>();

  private readonly copies: FolderCopies;

  constructor(private readonly deps: Deps) {
    this.copies = new FolderCopies(deps);
  }

  /** Starts a job. Throws not-found, conflict, invalid. */
  async start(bucket: Bucket, change: FolderChange, actor: Actor): Promise<FolderJobWire> {
    const { database, clock, buckets } = this.deps;
    const target = change.action === 'delete' ? null : change.target;
    const targetBucketId = change.action === 'copy' ? change.targetBucketId : null;
    const { source } = change;
    // What is moved would come back among what is to be moved.
    const isElsewhere = targetBucketId !== null && targetBucketId !== bucket.id;
    if (target !== null && !isElsewhere && areNested(source, target)) {
      const verb = change.action === 'copy' ? 'copied' : 'moved';
      throw invalid(`A folder can't be ${verb} into itself, or to a folder that it is in.`);
    }
    const job = await database.transaction(async (tx) => {
      // Of calls for several buckets at the same time, each counts the others.
      await lockUser(tx, bucket.user_id);
      if (!(await buckets.contents.lock(tx, bucket.id))) throw bucketBeingDeleted();
      if ((await store.runningJobOf(tx, bucket.id)) !== undefined) {
        throw conflict('Another folder of this bucket is being moved, copied or deleted.');
      }
      if (await store.hasRunningJobs(tx, bucket.user_id, MAX_JOBS_PER_ACCOUNT)) {
        const text = `${MAX_JOBS_PER_ACCOUNT} folders of this account are being moved, copied or deleted. Wait until one is done.`;
        throw tooMany(text, RETRY_AFTER_MS);
      }
      const isThere =
        (await hasEntries(tx, bucket.id, source)) ||
        (await fileAt(tx, bucket.id, source)) !== undefined;
      if (!isThere) throw notFound('Folder');
      const now = clock();
      const row: FolderJobRow = {
        ...{ id: newId(now), bucket_id: bucket.id, action: change.action, source, target },
        ...{ user_id: bucket.user_id, target_bucket_id: targetBucketId },
        ...{ actor: JSON.stringify(actor), status: 'running', position: source },
        ...{ done: 0, conflicts: 0, created_at: now, ended_at: null },
      };
      await store.insertJob(tx, row);
      const to = target === null ? '' : ` to ${quoted(target)}`;
      await record(tx, now, {
        ...{ section: 'files', action: `folder.${change.action}-started`, actor, subject: row.id },
        message: `Folder ${quoted(source)}: ${change.action}${to} started.`,
        details: { bucket: bucket.id },
      });
      return row;
    });
    // A chore goes on with it where this process ends or fails.
    this.run(job.id).catch(() => {});
    return toJobWire(job, []);
  }

  /** Returns how far a job is. Throws not-found. */
  async get(bucketId: string, id: string): Promise<FolderJobWire> {
    const job = await this.require(bucketId, id);
    return toJobWire(job, await store.failuresOf(this.deps.database.db, [id]));
  }

  /** Returns the last jobs of a bucket, the newest first. */
  async list(bucketId: string): Promise<{ data: FolderJobWire[] }> {
    const { db } = this.deps.database;
    const jobs = await store.jobsOf(db, bucketId, LISTED_JOBS);
    const ids = jobs.map(({ id }) => id);
    const failures = await store.failuresOf(db, ids);
    return { data: jobs.map((job) => toJobWire(job, failures)) };
  }

  /** Stops a job after the slice it is at. What it has done stays done. Throws not-found. */
  async stop(bucketId: string, id: string): Promise<FolderJobWire> {
    const { database, clock, buckets } = this.deps;
    await database.transaction(async (tx) => {
      await buckets.contents.lock(tx, bucketId);
      const job = await this.require(bucketId, id, tx);
      if (job.ended_at === null) await store.endJob(tx, id, 'stopped', clock());
    });
    return this.get(bucketId, id);
  }

  /** Goes on with the jobs of all buckets that no process is at, and deletes old ones. */
  async runAll(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    for (let after = ''; ; ) {
      const jobs = await store.runningJobs(database.db, after, BATCH_SIZE);
      await forEachConcurrent(jobs, CONCURRENCY, ({ id }) => this.run(id, signal));
      after = jobs.at(-1)?.bucket_id ?? after;
      if (jobs.length < BATCH_SIZE) break;
    }
    await store.deleteEndedJobs(database.db, clock() - JOB_TTL_MS, signal);
  }

  /** Slices lock the bucket and store where they are, so two processes at one job share it. */
  private async run(id: string, signal?: AbortSignal): Promise<void> {
    if (this.running.has(id)) return;
    this.running.add(id);
    try {
      for (let isRunning = true; isRunning; ) {
        signal?.throwIfAborted();
        const startedAt = performance.now();
        isRunning = await this.runSlice(id);
        const elapsedMs = performance.now() - startedAt;
        await Bun.sleep(Math.min(Math.max(elapsedMs, MIN_PAUSE_MS), MAX_PAUSE_MS));
      }
    } finally {
      this.running.delete(id);
    }
  }

  private async runSlice(id: string): Promise<boolean> {
    const { database, clock, buckets } = this.deps;
    const before = await store.jobById(database.db, id);
    const bucket = before && (await buckets.byId(before.bucket_id));
    if (!bucket) return false;
    if (before.action === 'copy') return this.copies.runSlice(before);
    return database.transaction(async (tx) => {
      const isOpen = await buckets.contents.lock(tx, bucket.id);
      const job = await store.jobById(tx, id);
      if (!isOpen || !job || job.ended_at !== null) return false;
      const slice = await changeSlice(tx, bucket, job, this.deps);
      await store.advanceJob(tx, job, slice.job);
      if (slice.isLast) await store.endJob(tx, id, 'completed', clock());
      return !slice.isLast;
    });
  }

  private async require(
    bucketId: string,
    id: string,
    db: Executor = this.deps.database.db,
  ): Promise<FolderJobRow> {
    const job = await store.jobById(db, id);
    if (job?.bucket_id !== bucketId) throw notFound('Job');
    return job;
  }
}

/** Whether one of two folders is in the other, or both are one. */
const areNested = (one: string, other: string) => one.startsWith(other) || other.startsWith(one);

/** @param failures those of the job, and maybe those of others */
const toJobWire = (job: FolderJobRow, failures: FolderJobFailureRow[]): FolderJobWire => ({
  ...{ id: job.id, action: job.action, path: job.source, target: job.target },
  target_bucket_id: job.target_bucket_id,
  ...{ status: job.status, done: job.done, conflicts: job.conflicts },
  failures: failures
    .filter(({ job_id }) => job_id === job.id)
    .map(({ path, code, message }) => ({ path, error: { code, message } })),
  date: new Date(job.created_at).toISOString(),
});

import { DAY, HOUR, MINUTE } from '../../contract/limits.ts';
import type { S3ImportWire } from '../../contract/wire.ts';
import { AppError, notFound, tooMany } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { FairLimiter } from '../../platform/fair-limiter.ts';
import { newId } from '../../platform/ids.ts';
import { unseal } from '../../platform/secrets/secrets.ts';
import { inSlices } from '../../platform/slices.ts';
import {
  type RemoteBucket,
  RemoteBucketError,
  type RemoteBucketSettings,
} from '../../platform/storage/remote-bucket.ts';
import type { Bucket } from '../buckets/service.ts';
import { ImportRefusedError } from './authorization.ts';
import { type CreateImportDeps, createImport, LISTED_IMPORTS } from './create-import.ts';
import { isLimit } from './import-object.ts';
import { ImportRun, type ImportRunDeps, ImportTakenError, LEASE_MS } from './import-run.ts';
import * as store from './imports-store.ts';
import type { ImportSettings } from './settings.ts';
import type { S3ImportFailureRow, S3ImportRow } from './tables.ts';

export { createImport } from './create-import.ts';
export { failuresOf, importById } from './imports-store.ts';
export { parseImport } from './settings.ts';
export { SourceFetches } from './sources/source-fetches.ts';
export { Sources } from './sources/sources.ts';

const IMPORT_TTL_MS = 7 * DAY;
const BATCH_SIZE = 100;
/** How long an import waits where its server or this one is unavailable, and after how long it has failed. */
const RETRY_INTERVAL_MS = MINUTE;
const MAX_FAILING_MS = 6 * HOUR;
const NEVER = new AbortController().signal;

type Deps = ImportRunDeps & CreateImportDeps & { onError: (error: unknown) => void };

/** Copies the objects of other S3 servers, as jobs that can be watched and stopped. */
export class S3Imports {
  private readonly running = new Map<string, { abort: AbortController; run: Promise<void> }>();
  private readonly stopper = new AbortController();
  /** Before a job is stored its server is asked once, which takes as long as that likes. */
  private readonly checks = new FairLimiter(
    { running: Number.POSITIVE_INFINITY, runningPerKey: 1, waiting: 0, waitingPerKey: 0 },
    () => tooMany('Another import of this account is being started.', MINUTE),
  );

  constructor(private readonly deps: Deps) {}

  /**
   * Starts an import, once its server has listed the bucket. Throws invalid, conflict where another import of the account
   * is running, and download-failed where the server can't be read.
   */
  async start(bucket: Bucket, settings: ImportSettings, actor: Actor): Promise<S3ImportWire> {
    const create = () => createImport(this.deps, bucket, settings, actor);
    const row = await this.checks.run(bucket.user_id, create, NEVER);
    // A chore goes on with it where this process ends or fails.
    this.run(row.id);
    return toImportWire(row, []);
  }

  /** Returns how far an import is. Throws not-found. */
  async get(bucketId: string, id: string): Promise<S3ImportWire> {
    const { db } = this.deps.database;
    const row = await store.importById(db, id);
    if (row?.bucket_id !== bucketId) throw notFound('Import');
    return toImportWire(row, await store.failuresOf(db, [id]));
  }

  /** Returns the last imports into a bucket, the newest first. */
  async list(bucketId: string): Promise<{ data: S3ImportWire[] }> {
    const { db } = this.deps.database;
    const rows = await store.importsOf(db, bucketId, LISTED_IMPORTS);
    const failures = await store.failuresOf(
      db,
      rows.map(({ id }) => id),
    );
    return { data: rows.map((row) => toImportWire(row, failures)) };
  }

  /** Stops an import. What was copied stays. Throws not-found. */
  async end(bucketId: string, id: string): Promise<S3ImportWire> {
    await this.get(bucketId, id);
    await store.stopImport(this.deps.database.db, id, this.deps.clock());
    // Another process learns of it when it renews its lease.
    this.running.get(id)?.abort.abort(new ImportTakenError());
    return this.get(bucketId, id);
  }

  /** Goes on with the imports that no process is at, and deletes old ones. */
  async runAll(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const due = await store.dueImports(database.db, clock(), BATCH_SIZE);
    for (const id of due) this.run(id);
    const before = clock() - IMPORT_TTL_MS;
    await inSlices((limit) => store.deleteEndedImports(database.db, before, limit), signal);
  }

  /** Goes on with the imports that processes before this one have left, without waiting for their leases. */
  async resume({ isOnlyProcess }: { isOnlyProcess: boolean }): Promise<void> {
    const { database, clock } = this.deps;
    if (isOnlyProcess) await store.releaseImports(database.db, clock());
    await this.runAll(NEVER);
  }

  /** Ends the work of this process. Another one, or the next one, goes on at once. */
  async stop(): Promise<void> {
    this.stopper.abort(new Error('The server is stopping.'));
    await Promise.all([...this.running.values()].map(({ run }) => run));
  }

  /** Resolves when no import of this process is running. */
  async settle(): Promise<void> {
    while (this.running.size > 0)
      await Promise.all([...this.running.values()].map(({ run }) => run));
  }

  private run(id: string): void {
    if (this.running.has(id) || this.stopper.signal.aborted) return;
    const abort = new AbortController();
    const run = this.takeTurn(id, AbortSignal.any([abort.signal, this.stopper.signal]))
      .catch(this.deps.onError)
      .finally(() => this.running.delete(id));
    this.running.set(id, { abort, run });
  }

  private async takeTurn(id: string, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    const lease = newId(now);
    const job = await store.claimImport(database.db, { id, lease }, { now, until: now + LEASE_MS });
    if (!job) return;
    try {
      await new ImportRun(this.deps, job, await this.open(job)).run(signal);
      await this.finish(job, 'completed');
    } catch (error) {
      await this.afterFailure(job, error);
    }
  }

  private open(job: S3ImportRow): Promise<RemoteBucket> {
    const { keys, openRemoteBucket } = this.deps;
    const { endpoint, region, access_key_id: accessKeyId, source_bucket: bucket } = job;
    const secretAccessKey = unseal(keys.all('s3-import-seal'), job.secret_sealed, job.id);
    const settings: RemoteBucketSettings = {
      endpoint,
      region,
      accessKeyId,
      secretAccessKey,
      bucket,
    };
    return openRemoteBucket(settings);
  }

  /** Ends an import that has failed for good, or lets it wait. */
  private async afterFailure(job: S3ImportRow, error: unknown): Promise<void> {
    if (error instanceof ImportTakenError) return;
    const { database, clock, onError } = this.deps;
    if (this.stopper.signal.aborted) {
      await store.changeImport(database.db, job, { leased_until: clock() });
      return;
    }
    if (error instanceof ImportRefusedError) return this.finish(job, 'failed', error.message);
    const isRefused = error instanceof RemoteBucketError && error.kind !== 'unavailable';
    const text = textOf(error);
    if (isRefused || isLimit(error)) return this.finish(job, 'failed', text);
    if (!(error instanceof RemoteBucketError || error instanceof AppError)) onError(error);
    const now = clock();
    const current = await store.importById(database.db, job.id);
    const since = current?.failing_since ?? now;
    if (now - since > MAX_FAILING_MS) return this.finish(job, 'failed', text);
    const waiting = { error: text, failing_since: since, leased_until: now + RETRY_INTERVAL_MS };
    await store.changeImport(database.db, job, waiting);
  }

  /** Ends an import. Its secret goes with it. */
  private async finish(
    job: S3ImportRow,
    status: 'completed' | 'stopped' | 'failed',
    error: string | null = null,
  ): Promise<void> {
    const { database, clock } = this.deps;
    const end = { status, error, ended_at: clock(), secret_sealed: '' };
    await store.changeImport(database.db, job, end);
  }
}

function textOf(error: unknown): string {
  if (error instanceof AppError) return error.text;
  return error instanceof RemoteBucketError ? error.message : 'An unexpected error occurred.';
}

/** @param failures those of the import, and maybe those of others */
const toImportWire = (row: S3ImportRow, failures: S3ImportFailureRow[]): S3ImportWire => ({
  ...{ id: row.id, endpoint: row.endpoint, region: row.region },
  ...{ access_key_id: row.access_key_id, bucket: row.source_bucket, prefix: row.prefix },
  ...{ folder: row.folder, access: row.access, status: row.status },
  ...{ copied: row.copied, skipped: row.skipped, failed: row.failed, bytes: row.bytes },
  error: row.error,
  failures: failures
    .filter(({ import_id }) => import_id === row.id)
    .map(({ key, code, message }) => ({ key, error: { code, message } })),
  date: new Date(row.created_at).toISOString(),
  ended: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
});

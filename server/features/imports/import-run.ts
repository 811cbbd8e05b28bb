import { MIB, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { forEachConcurrent } from '../../platform/concurrency.ts';
import type { Database } from '../../platform/db/port.ts';
import {
  type RemoteBucket,
  RemoteBucketError,
  type RemoteEntry,
} from '../../platform/storage/remote-bucket.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { ImportRefusedError, requireAuthorized } from './authorization.ts';
import {
  type ImportObjectDeps,
  type ImportScene,
  importObject,
  type Outcome,
} from './import-object.ts';
import * as store from './imports-store.ts';
import type { S3ImportFailureRow, S3ImportRow } from './tables.ts';

/** How long a process has an import without renewing that, so that another one goes on after a crash. */
export const LEASE_MS = 60 * SECOND;
const RENEWAL_INTERVAL_MS = 15 * SECOND;
/** So many objects that were not copied are named; the others are only counted. */
const MAX_FAILURES = 100;
/** How many objects are copied at a time, so that a distant server is not waited for at each of them. */
const CONCURRENCY = 4;
/** After so many objects, or so many bytes, it is stored how far the import is. */
const BATCH_SIZE = 32;
const BATCH_BYTES = 64 * MIB;

export type ImportRunDeps = ImportObjectDeps & {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'byId' | 'quotas'>;
};

/** Another process is at the import, or it was stopped. */
export class ImportTakenError extends Error {}

/** One turn of a process at an import. */
export class ImportRun {
  private readonly lost = new AbortController();

  constructor(
    private readonly deps: ImportRunDeps,
    private job: S3ImportRow,
    private readonly remote: RemoteBucket,
    private readonly renewalIntervalMs = RENEWAL_INTERVAL_MS,
  ) {}

  /**
   * Copies until all objects are done. Throws ImportTakenError, ImportRefusedError, what the signal aborts with, and what
   * `importObject` throws; what is done until then stays done.
   */
  async run(signal: AbortSignal): Promise<void> {
    const renewal = setInterval(() => void this.renew().catch(() => {}), this.renewalIntervalMs);
    const ended = AbortSignal.any([signal, this.lost.signal]);
    try {
      for (let isLast = false; !isLast; ) {
        const { prefix, position } = this.job;
        const page = await this.remote.list({ prefix, after: position }, { signal: ended });
        requireOrder(page, position);
        for (const batch of batchesOf(page.entries)) await this.copyBatch(batch, ended);
        ({ isLast } = page);
      }
    } finally {
      clearInterval(renewal);
    }
  }

  private async copyBatch(entries: RemoteEntry[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const bucket = await this.requireBucket();
    const { job, remote } = this;
    const scene: ImportScene = { job, bucket, actor: JSON.parse(job.actor), remote, signal };
    const outcomes = new Map<RemoteEntry, Outcome>();
    await forEachConcurrent(entries, CONCURRENCY, async (entry) => {
      signal.throwIfAborted();
      outcomes.set(entry, await importObject(this.deps, scene, entry));
    });
    await this.save(progressOf(job, outcomes, entries), failuresOf(job, outcomes));
  }

  private async save(change: Partial<S3ImportRow>, failures: S3ImportFailureRow[]): Promise<void> {
    const { database, clock } = this.deps;
    const renewed = { ...change, leased_until: clock() + LEASE_MS };
    await database.transaction(async (tx) => {
      if (!(await store.changeImport(tx, this.job, renewed))) throw new ImportTakenError();
      await store.insertFailures(tx, failures);
    });
    this.job = { ...this.job, ...renewed };
  }

  /** An object can take hours, within which the account may be suspended or the key deleted. */
  private async renew(): Promise<void> {
    const { database, clock } = this.deps;
    const renewed = { leased_until: clock() + LEASE_MS };
    if (!(await store.changeImport(database.db, this.job, renewed))) {
      return this.lost.abort(new ImportTakenError());
    }
    try {
      await this.requireBucket();
    } catch (error) {
      // An outage says nothing about the bucket.
      if (error instanceof ImportRefusedError) this.lost.abort(error);
    }
  }

  /** Returns the bucket as it is now. Throws ImportRefusedError. */
  private async requireBucket(): Promise<Bucket> {
    return requireAuthorized(this.job, await this.deps.buckets.byId(this.job.bucket_id));
  }
}

/** Throws where a server does not list what is behind a key: an import from it would never end. */
function requireOrder(
  { entries, isLast }: Awaited<ReturnType<RemoteBucket['list']>>,
  after: string,
) {
  const last = entries.at(-1)?.key ?? '';
  // S3 sorts by the bytes of UTF-8.
  if (isLast || Buffer.compare(Buffer.from(last), Buffer.from(after)) > 0) return;
  throw new RemoteBucketError('refused', 'The S3 server does not list its objects in order.');
}

/** Splits a page where it is to be stored how far the import is. */
function batchesOf(entries: RemoteEntry[]): RemoteEntry[][] {
  const batches: RemoteEntry[][] = [];
  let batch: RemoteEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    batch.push(entry);
    bytes += entry.size;
    if (batch.length < BATCH_SIZE && bytes < BATCH_BYTES) continue;
    batches.push(batch);
    batch = [];
    bytes = 0;
  }
  return batch.length === 0 ? batches : [...batches, batch];
}

function progressOf(
  job: S3ImportRow,
  outcomes: Map<RemoteEntry, Outcome>,
  entries: RemoteEntry[],
): Partial<S3ImportRow> {
  const all = [...outcomes.values()];
  const count = (kind: Outcome['kind']) => all.filter((one) => one.kind === kind).length;
  const bytes = all.reduce((sum, one) => sum + (one.kind === 'copied' ? one.bytes : 0), 0);
  return {
    position: entries.length === 0 ? job.position : positionAt(entries.at(-1)?.key ?? ''),
    copied: job.copied + count('copied'),
    skipped: job.skipped + count('skipped'),
    failed: job.failed + count('failed'),
    bytes: job.bytes + bytes,
    ...{ error: null, failing_since: null },
  };
}

/**
 * PostgreSQL has no text with the character 0. Keys with one can't be paths anyway, so those that begin alike up to it are
 * passed over together.
 */
function positionAt(key: string): string {
  const end = key.indexOf('\0');
  return end === -1 ? key : `${key.slice(0, end)}\u0001`;
}

const failuresOf = (
  { id, failed }: S3ImportRow,
  outcomes: Map<RemoteEntry, Outcome>,
): S3ImportFailureRow[] =>
  [...outcomes]
    .flatMap(([{ key }, outcome]) => {
      if (outcome.kind !== 'failed') return [];
      const { code, message } = outcome;
      return [{ import_id: id, key: key.replaceAll('\0', '\ufffd'), code, message }];
    })
    .slice(0, Math.max(0, MAX_FAILURES - failed));

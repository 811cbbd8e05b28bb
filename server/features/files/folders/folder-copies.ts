import { AppError, isUnavailable } from '../../../errors.ts';
import type { Actor } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import { type Copies, isAboutCopiedFile } from '../copies/copies.ts';
import { behindPath } from '../paths/bounds.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { requirePath } from '../paths/paths.ts';
import type { FolderJobRow } from '../tables.ts';
import { MAX_FOLDERS } from './empty-folders.ts';
import { failuresFor } from './folder-slices.ts';
import { advanceJob, endJob, type FolderRow, insertFailures, rowsBehind } from './job-store.ts';
import { hasMoreMarkers, insertMarker } from './marker-store.ts';

/** The job is looked up again after so many files, as it may have been stopped. */
const SLICE_SIZE = 32;

export type FolderCopyDeps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents' | 'byId'>;
  copies: Pick<Copies, 'copy'>;
};

/** Another process is at the job, or it was stopped. */
class JobMovedError extends Error {}

/** Copies folders, one file after the other. */
export class FolderCopies {
  constructor(private readonly deps: FolderCopyDeps) {}

  /**
   * Copies the next files of a folder in the order of their paths. Where the job is, is stored in the transaction that
   * creates the copy of a file, so that none is copied twice. What can't be copied is counted. Returns whether the job
   * goes on: it ends where the other bucket takes no files any more.
   */
  async runSlice(job: FolderJobRow): Promise<boolean> {
    const { database, buckets } = this.deps;
    if (job.ended_at !== null) return false;
    const target = await buckets.byId(job.target_bucket_id ?? '');
    if (target?.status !== 'running') return this.end(job, 'stopped');
    const rows = await database.transaction((tx) => rowsBehind(tx, job, SLICE_SIZE));
    let current = job;
    try {
      for (const row of rows) current = await this.copyRow(current, row, target);
    } catch (error) {
      if (error instanceof JobMovedError) return false;
      if (!(error instanceof AppError) || isUnavailable(error)) throw error;
      return this.end(job, 'stopped');
    }
    return rows.length < SLICE_SIZE ? this.end(job, 'completed') : true;
  }

  /** Copies a file, or creates a folder that is empty. Returns the job as it then is. */
  private async copyRow(
    job: FolderJobRow,
    row: FolderRow & { isNewer: boolean },
    bucket: Bucket,
  ): Promise<FolderJobRow> {
    const { database, copies } = this.deps;
    // No path has a control character, so this is behind the path, and before the next one.
    const position = behindPath(row.path);
    const skipped = { ...job, position };
    const copied = { ...skipped, done: job.done + 1 };
    const advance = (to: FolderJobRow) => async (tx: Tx) => {
      if (!(await advanceJob(tx, job, to))) throw new JobMovedError();
    };
    const save = async (to: FolderJobRow) => {
      await database.transaction(advance(to));
      return to;
    };
    if (row.isNewer) return save(skipped);
    const path = `${job.target}${row.path.slice(job.source.length)}`;
    if (row.file_type === 'folder') {
      await database.transaction(async (tx) => {
        await this.createMarker(tx, bucket, path);
        await advance(copied)(tx);
      });
      return copied;
    }
    const actor: Actor = JSON.parse(job.actor);
    try {
      const target = { bucket, path: requirePath(path), onConflict: 'error', actor } as const;
      await copies.copy(job.bucket_id, row.id, target, advance(copied));
      return copied;
    } catch (error) {
      if (!isAboutCopiedFile(error)) throw error;
      const failed = { ...skipped, conflicts: job.conflicts + 1 };
      await database.transaction(async (tx) => {
        await advance(failed)(tx);
        await insertFailures(tx, failuresFor(job, row.path, error));
      });
      return failed;
    }
  }

  /** One that was created there already is enough, as is one that files make. */
  private async createMarker(tx: Tx, { id: bucket_id }: Bucket, path: string): Promise<void> {
    const now = this.deps.clock();
    await this.deps.buckets.contents.lock(tx, bucket_id);
    if ((await fileAt(tx, bucket_id, path)) !== undefined) return;
    if (await hasMoreMarkers(tx, bucket_id, MAX_FOLDERS - 1)) return;
    await insertMarker(tx, { id: newId(now), bucket_id, path, created_at: now });
  }

  /** Returns that the job does not go on. */
  private async end(job: FolderJobRow, status: 'completed' | 'stopped'): Promise<false> {
    const { database, clock, buckets } = this.deps;
    await database.transaction(async (tx) => {
      await buckets.contents.lock(tx, job.bucket_id);
      await endJob(tx, job.id, status, clock());
    });
    return false;
  }
}

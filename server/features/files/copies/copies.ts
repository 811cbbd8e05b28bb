import { DAY, SECOND } from '../../../contract/limits.ts';
import type { FileWire } from '../../../contract/wire.ts';
import { AppError, conflict, invalid, notFound, tooMany } from '../../../errors.ts';
import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import { forEachConcurrent } from '../../../platform/concurrency.ts';
import { afterCommit } from '../../../platform/db/after-commit.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import { timeOf } from '../../../platform/ids.ts';
import { KeyedSemaphore } from '../../../platform/keyed-semaphore.ts';
import {
  cancellation,
  postponeDelete,
  scheduleDeletes,
} from '../../../platform/storage/pending-deletes-store.ts';
import type { ObjectStore } from '../../../platform/storage/port.ts';
import {
  type Bucket,
  type Buckets,
  requireAllowedType,
  versioningOf,
} from '../../buckets/service.ts';
import { mediaInsertion } from '../../media/service.ts';
import type { FileAnnouncements } from '../announce-change.ts';
import { blobInsertion } from '../blobs-store.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { type FileAddresses, NO_WORK, publishFileEvent, toFileWire } from '../file-wire.ts';
import { keptName } from '../names.ts';
import { fileInsertion } from '../paths/insertion-store.ts';
import { clearPath } from '../plain-files.ts';
import type { OnConflict } from '../replacing/destination.ts';
import type { Replacements } from '../replacing/replacements.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import type { FileRow } from '../tables.ts';
import type { PlainBytes, VersionHook } from '../version-hook.ts';
import { newVersionId } from '../versions/version-id.ts';
import { type CopyPlan, planCopy } from './copy-plan.ts';
import * as store from './copy-store.ts';

/** What a copy has stored is deleted after so long where the process ends before the copy does. */
const COPY_TTL_MS = DAY;
/** A video has thousands of objects, and others use the storage too. */
const OBJECT_CONCURRENCY = 4;
/** How many copies of an account run at once in this process, beside those of a job. */
const MAX_RUNNING_PER_ACCOUNT = 4;

const tooManyCopies = () =>
  tooMany('Other files of this account are being copied. Try again.', 5 * SECOND);

type Deps = FileAddresses & {
  database: Database;
  clock: Clock;
  events: Events;
  objects: Pick<ObjectStore, 'list' | 'copy'>;
  buckets: Pick<Buckets, 'contents' | 'quotas'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
  replacements: Pick<Replacements, 'endWaitingIn'>;
  announcements: FileAnnouncements;
  versions: Pick<VersionHook, 'onPlain' | 'afterPlain'>;
};

/** Where a copy goes. */
export type CopyTarget = { bucket: Bucket; path: string; onConflict: OnConflict; actor: Actor };

/** Copies files, within a bucket and into others. */
export class Copies {
  private readonly running = new KeyedSemaphore(MAX_RUNNING_PER_ACCOUNT, tooManyCopies);

  constructor(private readonly deps: Deps) {}

  /**
   * Copies a file, which counts as a new one in storage and limits. Throws not-found, not-ready, path-taken, too-many,
   * and what an upload of the file would: conflict, banned, type-refused, too-large, bucket-full, quota-exceeded.
   */
  async copyFile(sourceBucketId: string, fileId: string, target: CopyTarget): Promise<FileWire> {
    const copy = () => this.copy(sourceBucketId, fileId, target);
    return this.running.run(target.bucket.user_id, copy);
  }

  /**
   * Does the same for a job, which copies one file after the other.
   * @param alsoIn is called in the transaction that creates the copy, which fails with it
   */
  async copy(
    sourceBucketId: string,
    fileId: string,
    target: CopyTarget,
    alsoIn: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<FileWire> {
    const { database, clock, objects, regionRouter, events } = this.deps;
    const { bucket } = target;
    const source = await store.copySource(database.db, sourceBucketId, fileId);
    if (!source) throw notFound('File');
    this.requireCopyable(source, target);
    const { root } = regionRouter(bucket.region);
    const plan = await planCopy(objects, source, { bucket, root, now: clock() });
    await this.reserve(bucket, plan, source.file.size);
    try {
      await forEachConcurrent(plan.objects, OBJECT_CONCURRENCY, async ({ key, source: object }) => {
        await objects.copy(key, object, { owner: bucket.user_id });
      });
      const row = await database.transaction(async (tx) => {
        const created = await this.createIn(tx, source.file, plan, target);
        await alsoIn(tx);
        return created;
      });
      const subject = { id: row.id, bucketId: bucket.id, userId: bucket.user_id };
      publishFileEvent(events, 'file.created', subject, 'success', 100).catch(() => {});
      return toFileWire(row, NO_WORK, this.deps);
    } catch (error) {
      // Where the copy exists nevertheless, its deletes are cancelled, and there is nothing to put forward.
      for (const prefix of plan.prefixes) await postponeDelete(database.db, prefix, clock());
      throw error;
    }
  }

  private requireCopyable({ file, media }: store.CopySource, target: CopyTarget): void {
    if (media !== null && media.status !== 'success') {
      throw conflict('This file is still being processed, or has failed.', 'not-ready');
    }
    const isOwnPath = file.bucket_id === target.bucket.id && file.path === target.path;
    if (isOwnPath && target.onConflict === 'replace') {
      throw invalid("A file can't replace itself.");
    }
    requireAllowedType(target.bucket, file.content_type);
  }

  /** Reserves the bytes of a copy, and schedules the deletion of its objects, before there are any. */
  private async reserve(bucket: Bucket, { prefixes, bytes }: CopyPlan, size: number) {
    const { database, clock, buckets } = this.deps;
    const [first, ...others] = prefixes;
    const deleteAt = clock() + COPY_TTL_MS;
    await scheduleDeletes(database.db, others, deleteAt);
    const reservation = { prefix: first, bytes: Math.max(bytes, size), deleteAt };
    await database.batch(await buckets.quotas.reservation(bucket.user_id, reservation));
  }

  private async createIn(tx: Tx, source: FileRow, plan: CopyPlan, target: CopyTarget) {
    const { deps } = this;
    const { bucket, path, actor } = target;
    const { fileId, prefixes, blob, media, bytes } = plan;
    // The bucket's uploads take their paths under the same lock.
    await deps.buckets.contents.lock(tx, bucket.id);
    const expired = () => conflict('The copy took too long. Try again.');
    await runStatements(tx, [
      ...prefixes.map((prefix) => cancellation(tx, prefix, expired)),
      ...(blob.kind === 'shared' ? [store.blobSharing(tx, blob.id, () => notFound('File'))] : []),
    ]);
    const createdAt = timeOf(fileId);
    const added = { fileId, createdAt, bytes, size: source.size };
    await runStatements(tx, deps.buckets.contents.copyAdditions(bucket, added));
    const preconditions = { ifMatch: null, ifNoneMatch: null };
    await clearPath(deps, tx, { ...target, preconditions });
    const { removal: _, purge_at: __, ...columns } = source;
    const copy = {
      ...columns,
      ...{ id: fileId, bucket_id: bucket.id, path, name: keptName(path, source.name) },
      blob_id: blob.kind === 'none' ? null : blob.kind === 'new' ? blob.row.id : blob.id,
      ...{ stored_bytes: bytes, created_at: createdAt },
      version_id: newVersionId(bucket, fileId),
    };
    const unread = unreadBytes(bucket, source, plan);
    await runStatements(tx, [
      ...(blob.kind === 'new' ? [blobInsertion(tx, blob.row)] : []),
      ...fileInsertion(tx, copy, { versioning: versioningOf(bucket) }),
      ...(media ? [mediaInsertion(tx, media)] : []),
      ...(unread ? deps.versions.onPlain(unread) : []),
    ]);
    if (unread) afterCommit(tx, () => deps.versions.afterPlain(unread));
    return this.announceIn(tx, source, fileId, actor);
  }

  private async announceIn(
    tx: Tx,
    source: FileRow,
    fileId: string,
    actor: Actor,
  ): Promise<FileWithRegion> {
    const { clock, announcements } = this.deps;
    const row = await fileById(tx, fileId);
    if (!row) throw new Error('A file that was inserted is not there.');
    await runStatements(tx, await announcements(tx, 'file.success', row));
    await record(tx, clock(), {
      ...{ section: 'files', action: 'file.copied', actor, subject: fileId },
      message: `File ${quoted(source.path)} copied to ${quoted(row.path)}.`,
      details: { bucket: row.bucket_id, from: source.bucket_id, bytes: row.stored_bytes },
    });
    return row;
  }
}

/** Returns what the copy of a file that is stored as it is has to be read of, as nobody has read the file yet. */
function unreadBytes(
  bucket: Bucket,
  { content_type: contentType }: FileRow,
  { fileId, blob, media }: CopyPlan,
): PlainBytes | null {
  if (media || blob.kind !== 'new' || blob.row.object_key === null) return null;
  const { object_key: key, size, width, duration } = blob.row;
  return width === null && duration === null ? { fileId, bucket, contentType, key, size } : null;
}

/** Whether a file of many can't be copied, and others may. */
export const isAboutCopiedFile = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ([409, 413, 415, 422].includes(error.status) || error.code === 'not-found');

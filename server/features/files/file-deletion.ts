import { REGIONS } from '../../contract/regions.ts';
import { notFound } from '../../errors.ts';
import { type Actor, quoted } from '../../platform/audit/record.ts';
import { afterCommit } from '../../platform/db/after-commit.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { rootOf } from '../../platform/region-routing.ts';
import { inSlices } from '../../platform/slices.ts';
import {
  releaseDeletes,
  scheduleDelete,
  scheduleDeletes,
  UNTIL_RELEASED,
} from '../../platform/storage/pending-deletes-store.ts';
import type { Bucket, Buckets } from '../buckets/service.ts';
import { type AnnouncementDeps, announceChanges } from './announce-change.ts';
import { releaseBlob, takeBlobs } from './blobs-store.ts';
import { bucketPrefixes, filePrefix } from './keys.ts';
import { nameNullVersion } from './paths/insertion-store.ts';
import { type Cause, keptAs, purgeTime } from './retention/kept-as.ts';
import * as retention from './retention/retention-store.ts';
import * as store from './store.ts';
import type { MediaFileRow } from './tables.ts';
import type { VersionHook } from './version-hook.ts';

type Deps = AnnouncementDeps & {
  database: Database;
  versions: Pick<VersionHook, 'onDeletion' | 'afterDeletion'>;
  buckets: Pick<Buckets, 'contents'>;
};

/** The bucket of a file, as far as a deletion tells of it. */
export type FileOwner = Pick<Bucket, 'id' | 'user_id' | 'region'>;

/** Why a file is no longer current. */
export type Removing = {
  cause: Cause;
  /** The id of the version that is restored in its place. */
  restoring?: string;
  /** Whether it is not kept, and its versions stay. */
  isForGood?: boolean;
};

const DELETED: Removing = { cause: 'deleted' };

/**
 * Deletes files. Where the bucket doesn't keep them, their rows go at once, and their objects later, with the pending
 * deletes.
 */
export class FileDeletion {
  constructor(private readonly deps: Deps) {}

  /** Stops a file's delivery and processing, and deletes it, or moves it to the trash. Throws not-found. */
  async deleteFile(bucket: Bucket, fileId: string, actor: Actor): Promise<void> {
    await this.deps.database.transaction(async (tx) => {
      if (!(await this.deleteIn(tx, bucket, fileId, actor))) throw notFound('File');
    });
  }

  /**
   * Deletes the rows of all files of a bucket, and ends the work on them. Their objects stay until
   * `releaseObjectsOf`, because rows still name some of them. An interrupted call can be repeated.
   * @param options.onDeleted called with the number of files that each slice has deleted
   */
  async deleteAllOf(
    bucketId: string,
    { signal, onDeleted }: { signal?: AbortSignal; onDeleted?: (files: number) => void } = {},
  ): Promise<void> {
    const { database, versions } = this.deps;
    await inSlices(async (limit) => {
      const files = await database.transaction((tx) => this.deleteSlice(tx, bucketId, limit));
      versions.afterDeletion(files);
      onDeleted?.(files.length);
      return files.length;
    }, signal);
  }

  /** Schedules the deletion of all objects of a bucket, in the transaction that deletes its row. */
  async releaseObjectsOf(tx: Tx, bucketId: string): Promise<void> {
    // A region may have lost its storage since, or got one.
    const roots = ['', ...Object.keys(REGIONS).map((region) => `${region}/`)];
    const prefixes = roots.flatMap((root) => bucketPrefixes(root, bucketId));
    await releaseDeletes(tx, prefixes, this.deps.clock());
  }

  /**
   * Deletes a file in a transaction, or keeps it as the bucket demands. Returns whether there is such a file. The event
   * is sent with the commit, because other processes would otherwise deliver the file for as long as they cache its row.
   */
  async deleteIn(
    tx: Tx,
    bucket: FileOwner,
    fileId: string,
    actor: Actor,
    removing = DELETED,
  ): Promise<boolean> {
    const { cause } = removing;
    const file = await this.removeIn(tx, bucket.id, fileId, removing);
    if (!file) return false;
    afterCommit(tx, () => this.deps.versions.afterDeletion([file]));
    const deleted = {
      row: { ...file, region: bucket.region, replaces_path: null },
      message: `File ${quoted(file.name)} ${cause}.`,
      details: { bytes: file.stored_bytes },
    };
    const how = { type: `file.${cause}`, actor } as const;
    await announceChanges(tx, bucket, [deleted], how, this.deps);
    return true;
  }

  /**
   * Deletes the rows of a file, or marks it as superseded, and does what follows for the versions of its path.
   * Returns the file as it was; undefined where there is none.
   */
  private async removeIn(
    tx: Tx,
    bucketId: string,
    fileId: string,
    { cause, restoring, isForGood = false }: Removing,
  ): Promise<MediaFileRow | undefined> {
    const { clock, buckets } = this.deps;
    const now = clock();
    await buckets.contents.hold(tx, bucketId);
    const rules = await buckets.contents.retention(tx, bucketId);
    // Who restores a version must not lose the one in its place.
    const keep_versions = Math.max(rules.keep_versions, restoring === undefined ? 0 : 1);
    const current = await store.fileById(tx, fileId);
    if (current?.bucket_id !== bucketId) return undefined;
    const kept = isForGood ? null : keptAs(current, cause, { ...rules, keep_versions }, now);
    const isNull = rules.keep_versions > 0 && current.version_id === null;
    const version_id = isNull ? 'null' : current.version_id;
    // One of a key has this id, whatever has come to its path meanwhile.
    if (isNull && kept) await nameNullVersion(tx, bucketId, current.path);
    const file = kept
      ? await retention.supersede(tx, current, { superseded_at: now, version_id, ...kept })
      : await store.takeFile(tx, bucketId, fileId);
    if (!file) return undefined;
    const content = { bytes: file.stored_bytes, fileId, createdAt: file.created_at };
    if (kept) {
      await buckets.contents.currentChanged(tx, bucketId, { ...content, isCurrent: false });
    } else {
      await this.release(tx, file);
      await buckets.contents.remove(tx, bucketId, content);
    }
    if (cause === 'deleted' && rules.has_source === 1) {
      await buckets.contents.excludePaths(tx, bucketId, [file.path]);
    }
    if (isForGood) return file;
    if (cause === 'deleted') {
      const purgeAt = purgeTime(rules, now);
      // Where the file itself can't be kept, the trash has its newest version in its place.
      const [newest] = kept || purgeAt === null ? [] : await retention.versionsOf(tx, file, 1);
      const deletion = { superseded_at: now, purge_at: purgeAt };
      if (newest) await retention.moveToTrash(tx, newest, deletion);
      await retention.removeVersions(tx, file, purgeAt, now);
    } else if (rules.keep_versions > 0) {
      // A bucket that keeps no more versions loses none that it has kept.
      const except = restoring ?? null;
      const purging = { keep: keep_versions, purgeAt: null, except, now };
      await retention.purgeOldVersions(tx, file, purging);
    }
    return file;
  }

  private async deleteSlice(tx: Tx, bucketId: string, limit: number): Promise<store.DeletedFile[]> {
    await this.deps.buckets.contents.hold(tx, bucketId);
    const files = await store.takeFiles(tx, bucketId, limit);
    if (files.length === 0) return files;
    const { versions, buckets, clock } = this.deps;
    await versions.onDeletion(tx, files);
    const sources = await takeBlobs(
      tx,
      files.flatMap(({ blob_id }) => blob_id ?? []),
    );
    const { ofBucket, others: elsewhere } = prefixesOf(bucketId, files, sources);
    await scheduleDeletes(tx, ofBucket, UNTIL_RELEASED);
    await scheduleDeletes(tx, elsewhere, clock());
    const current = files.filter(
      ({ superseded_at, file_type }) => superseded_at === null && file_type !== 'folder',
    );
    const others = files.filter(({ superseded_at }) => superseded_at !== null);
    if (others.length > 0) await buckets.contents.purge(tx, bucketId, toPurged(others));
    await buckets.contents.removeFiles(
      tx,
      bucketId,
      current.map(({ id }) => id),
    );
    return files;
  }

  /** Ends the work on a file, and schedules the deletion of everything that is stored of it. */
  async release(tx: Tx, file: MediaFileRow): Promise<void> {
    const { versions, clock } = this.deps;
    await versions.onDeletion(tx, [file]);
    const blob = file.blob_id ? await releaseBlob(tx, file.blob_id) : undefined;
    const root = rootOf(blob?.prefix ?? file.prefix);
    await scheduleDelete(tx, filePrefix(root, file.bucket_id, file.id), clock());
    if (blob?.isLast) await scheduleDelete(tx, blob.prefix, clock());
  }
}

const toPurged = (files: store.DeletedFile[]) => ({
  fileIds: files.map(({ id }) => id),
  bytes: files.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0),
});

/** Returns the prefixes of a bucket below which files are stored, and those of files that are elsewhere. */
function prefixesOf(bucketId: string, files: store.DeletedFile[], sources: string[]) {
  const roots = new Set([...sources, ...files.map(({ prefix }) => prefix)].map(rootOf));
  const ofBucket = [...roots].flatMap((root) => bucketPrefixes(root, bucketId));
  const isElsewhere = (source: string) => !ofBucket.some((prefix) => source.startsWith(prefix));
  return { ofBucket: new Set(ofBucket), others: new Set(sources.filter(isElsewhere)) };
}

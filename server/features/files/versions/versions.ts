import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import { afterCommit } from '../../../platform/db/after-commit.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import { type Bucket, type Buckets, versioningOf } from '../../buckets/service.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { type ObjectRow, objectVersion } from '../objects/object-store.ts';
import { fileAt } from '../paths/insertion-store.ts';
import type { Restores } from '../retention/restores.ts';
import * as retention from '../retention/retention-store.ts';
import type { Trash } from '../retention/trash.ts';
import type { Place } from '../tables.ts';
import { listVersions, type VersionEntry, type VersionListRange } from './list-versions.ts';
import { markerIdOf, markerTime } from './version-id.ts';
import * as store from './version-store.ts';

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
  emptyFolders: { deleteMarker(bucket: Bucket, path: string, actor: Actor): Promise<void> };
  restores: Pick<Restores, 'restoreIn'>;
  trash: Pick<Trash, 'purge'>;
};

/** The delete marker of a deletion, as S3 clients know it. */
export type DeleteMarker = { id: string; at: number };

/** What an id of a version names. */
export type FoundVersion =
  | { kind: 'object'; object: ObjectRow }
  | { kind: 'marker'; marker: DeleteMarker };

type Subject = { bucket: Bucket; path: string; versionId: string; actor: Actor };

/**
 * The versions of the files of buckets as S3 clients know them: current files, earlier versions, and the trash. A deletion
 * is told of by a delete marker, which is the file in the trash itself.
 */
export class Versions {
  constructor(private readonly deps: Deps) {}

  /** Returns the first versions, delete markers and common prefixes of a bucket in a range. */
  list(bucket: Bucket, range: VersionListRange): Promise<VersionEntry[]> {
    const { database, clock } = this.deps;
    const withEarlier = versioningOf(bucket) !== null;
    return listVersions(database.db, bucket.id, { ...range, now: clock(), withEarlier });
  }

  /** Returns what a version of a path is; undefined where there is none. */
  async find(bucketId: string, path: string, versionId: string): Promise<FoundVersion | undefined> {
    const { database, clock } = this.deps;
    const place = { bucket_id: bucketId, path };
    const object = await objectVersion(database.db, place, versionId, clock());
    if (object) return { kind: 'object', object };
    const deletion = await this.markedDeletion(database.db, place, versionId);
    return deletion && { kind: 'marker', marker: toMarker(deletion) };
  }

  /** Returns the delete marker of the last deletion at a path; undefined where there is none. */
  async lastMarker(bucketId: string, path: string): Promise<DeleteMarker | undefined> {
    const { database, clock } = this.deps;
    const place = { bucket_id: bucketId, path };
    const deletion = await store.lastDeletion(database.db, place, clock());
    return deletion && toMarker(deletion);
  }

  /**
   * Deletes a version for good, or a delete marker. The newest version that is left becomes current, unless the file was
   * deleted before. An unknown version counts as deleted.
   * @returns whether it was a delete marker
   */
  async delete(subject: Subject): Promise<{ isMarker: boolean }> {
    const { database, buckets, emptyFolders } = this.deps;
    const { bucket, path, versionId, actor } = subject;
    const found = await this.find(bucket.id, path, versionId);
    if (!found) return { isMarker: false };
    if (found.kind === 'object' && found.object.file_type === 'folder') {
      await emptyFolders.deleteMarker(bucket, path, actor);
      return { isMarker: false };
    }
    await database.transaction(async (tx) => {
      // Uploads take their paths under the same lock.
      if (!(await buckets.contents.lock(tx, bucket.id))) return;
      if (found.kind === 'marker') await this.deleteMarkerIn(tx, subject);
      else await this.deleteVersionIn(tx, subject);
    });
    return { isMarker: found.kind === 'marker' };
  }

  /**
   * Changes the tags of a version, as JSON, or the access of one that is not current. Returns false where it is gone.
   */
  async change(
    bucket: Bucket,
    { id, path }: Pick<ObjectRow, 'id' | 'path'>,
    change: store.VersionChange,
    actor: Actor,
  ): Promise<boolean> {
    const { database, clock } = this.deps;
    return database.transaction(async (tx) => {
      if (!(await store.updateVersion(tx, id, change))) return false;
      await record(tx, clock(), {
        ...{ section: 'files', action: 'file.updated', actor, subject: id },
        message: `Version of ${quoted(path)} changed: ${Object.keys(change).join(', ')}.`,
        details: { bucket: bucket.id },
      });
      return true;
    });
  }

  private async deleteVersionIn(tx: Tx, subject: Subject): Promise<void> {
    const { clock, deletion } = this.deps;
    const { bucket, path, versionId, actor } = subject;
    const place = { bucket_id: bucket.id, path };
    const now = clock();
    const version = await objectVersion(tx, place, versionId, now);
    if (!version) return;
    const { id, superseded_at } = version;
    if (superseded_at !== null) return this.deleteEarlierIn(tx, subject, id, now);
    const removing = { cause: 'deleted', isForGood: true } as const;
    await deletion.deleteIn(tx, bucket, id, actor, removing);
    const [next] = await retention.versionsOf(tx, place, 1);
    if (next) await this.restoreIn(tx, bucket, next.id, actor);
  }

  private async deleteEarlierIn(
    tx: Tx,
    { bucket, path, actor }: Subject,
    id: string,
    now: number,
  ): Promise<void> {
    const earlier = await store.earlierVersion(tx, { bucket_id: bucket.id, path }, id);
    if (!earlier || !(await store.purgeVersion(tx, id, now))) return;
    if (earlier.removal === 'deleted') {
      const [heir] = await retention.versionsOf(tx, earlier, 1, earlier.purge_at);
      if (heir) await retention.moveToTrash(tx, heir, earlier);
    }
    await record(tx, now, {
      ...{ section: 'files', action: 'file.purged', actor, subject: id },
      message: `File ${quoted(earlier.name)} permanently deleted.`,
      details: { bucket: bucket.id, bytes: earlier.stored_bytes },
    });
    afterCommit(tx, () => this.deps.trash.purge(bucket.id, id));
  }

  /** Undoes a deletion: the file of the trash is current again, or a version of the file that came to its path. */
  private async deleteMarkerIn(tx: Tx, { bucket, path, versionId, actor }: Subject): Promise<void> {
    const place = { bucket_id: bucket.id, path };
    const deletion = await this.markedDeletion(tx, place, versionId);
    if (!deletion) return;
    const now = this.deps.clock();
    const later = await store.nextDeletion(tx, deletion, now);
    const isTaken = (await fileAt(tx, bucket.id, path)) !== undefined;
    if (!later && !isTaken) await this.restoreIn(tx, bucket, deletion.id, actor);
    else await store.joinVersions(tx, deletion, later?.purge_at ?? null, now);
  }

  /** Returns the file in the trash whose deletion has a marker of an id; undefined where there is none. */
  private async markedDeletion(
    db: Executor,
    place: Place,
    versionId: string,
  ): Promise<store.EarlierRow | undefined> {
    const at = markerTime(place, versionId);
    return at === null ? undefined : store.lastDeletion(db, place, this.deps.clock(), at);
  }

  private async restoreIn(tx: Tx, bucket: Bucket, id: string, actor: Actor): Promise<void> {
    await this.deps.restores.restoreIn(tx, bucket, id, { onConflict: 'error', actor });
  }
}

const toMarker = (deletion: store.EarlierRow): DeleteMarker => ({
  id: markerIdOf(deletion),
  at: deletion.superseded_at,
});

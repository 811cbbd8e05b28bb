import type { FileEvent } from '../../../contract/wire.ts';
import { conflict, notFound, quotaExceeded } from '../../../errors.ts';
import { type Actor, quoted, record } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { Events } from '../../../platform/events/port.ts';
import { newId } from '../../../platform/ids.ts';
import { type Bucket, type Buckets, bucketBeingDeleted } from '../../buckets/service.ts';
import { FILE_EVENTS, fileEvent } from '../file-wire.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { deleteMarker, hasEntries, hasMoreMarkers, insertMarker } from './marker-store.ts';

/** They cost nothing, so a program could fill the database with them. */
export const MAX_FOLDERS = 10_000;

type Deps = {
  database: Database;
  clock: Clock;
  events: Events;
  buckets: Pick<Buckets, 'contents'>;
};

/**
 * Folders that stay although no file is in them. Each is a row with the path of the folder, which is in no list of
 * files and isn't counted as one.
 */
export class EmptyFolders {
  constructor(private readonly deps: Deps) {}

  /**
   * Creates a folder; one that is there stays.
   * @param path ends in '/'
   * Throws conflict, quota-exceeded.
   */
  async create(bucket: Bucket, path: string, actor: Actor): Promise<void> {
    const { database, clock, buckets } = this.deps;
    await database.transaction(async (tx) => {
      if (!(await buckets.contents.lock(tx, bucket.id))) throw bucketBeingDeleted();
      if ((await fileAt(tx, bucket.id, path)) !== undefined) return;
      if (await hasMoreMarkers(tx, bucket.id, MAX_FOLDERS - 1)) {
        const count = MAX_FOLDERS.toLocaleString('en');
        throw quotaExceeded(`A bucket can have ${count} folders that were created.`);
      }
      const now = clock();
      const id = newId(now);
      await insertMarker(tx, { id, bucket_id: bucket.id, path, created_at: now });
      await this.announce(tx, bucket, { id, path, actor, cause: 'created' });
    });
  }

  /** Deletes a folder in which nothing is. Throws not-found, conflict. */
  async delete(bucket: Bucket, path: string, actor: Actor): Promise<void> {
    const { database, buckets } = this.deps;
    await database.transaction(async (tx) => {
      await buckets.contents.lock(tx, bucket.id);
      if (await hasEntries(tx, bucket.id, path)) {
        throw conflict('This folder is not empty. Delete what is in it first.');
      }
      if (!(await this.deleteIn(tx, bucket, path, actor))) throw notFound('Folder');
    });
  }

  /** Deletes the row of a folder, also where files are in it, which keep it. One that is gone counts as deleted. */
  async deleteMarker(bucket: Bucket, path: string, actor: Actor): Promise<void> {
    const { database, buckets } = this.deps;
    await database.transaction(async (tx) => {
      await buckets.contents.lock(tx, bucket.id);
      await this.deleteIn(tx, bucket, path, actor);
    });
  }

  /** Deletes the row of a folder. Returns whether there is one. */
  private async deleteIn(tx: Tx, bucket: Bucket, path: string, actor: Actor): Promise<boolean> {
    const id = await fileAt(tx, bucket.id, path);
    if (id === undefined) return false;
    await deleteMarker(tx, id);
    await this.announce(tx, bucket, { id, path, actor, cause: 'deleted' });
    return true;
  }

  /** Records a change, and tells the open pages of the owner to load their lists again. */
  private async announce(
    tx: Tx,
    bucket: Bucket,
    change: { id: string; path: string; actor: Actor; cause: 'created' | 'deleted' },
  ): Promise<void> {
    const { id, path, actor, cause } = change;
    await record(tx, this.deps.clock(), {
      ...{ section: 'files', action: `folder.${cause}`, actor, subject: id },
      message: `Folder ${quoted(path)} ${cause}.`,
      details: { bucket: bucket.id },
    });
    const subject = { id, bucketId: bucket.id, userId: bucket.user_id };
    const type: FileEvent['type'] = `file.${cause}`;
    await this.deps.events.publishIn(tx, FILE_EVENTS, fileEvent(type, subject, 'success', 100));
  }
}

import type { BulkResultWire, FileWire } from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import { type Actor, quoted } from '../../../platform/audit/record.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { type Bucket, type Buckets, bucketBeingDeleted } from '../../buckets/service.ts';
import { type AnnouncementDeps, announceChanges } from '../announce-change.ts';
import type { BulkFiles } from '../changes/bulk.ts';
import { changeApart } from '../changes/each-file.ts';
import type { FileDeletion } from '../file-deletion.ts';
import { NO_WORK, toFileWire } from '../file-wire.ts';
import { fileAt } from '../paths/insertion-store.ts';
import { pathTaken } from '../paths/moves.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import * as store from './retention-store.ts';

/** What to do where another file is at the path of a deleted one: give it a number, or refuse. */
type RestoreConflict = 'rename' | 'error';

type Deps = AnnouncementDeps & {
  database: Database;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
};

type Restore = { onConflict: RestoreConflict; actor: Actor };

/** Restores deleted files and earlier versions. Their ids, bytes and addresses by id are those that they had. */
export class Restores {
  constructor(private readonly deps: Deps) {}

  /**
   * Makes a file current again. An earlier version replaces the file at its path. Throws not-found, path-taken,
   * conflict.
   */
  async restoreFile(bucket: Bucket, fileId: string, restore: Restore): Promise<FileWire> {
    const row = await this.deps.database.transaction((tx) =>
      this.restoreIn(tx, bucket, fileId, restore),
    );
    return toFileWire(row, NO_WORK, this.deps);
  }

  /** Restores many files, each by itself. One for which that fails leaves the others alone. */
  restoreFiles(files: BulkFiles, onConflict: RestoreConflict): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return changeApart(files, (id) => this.restoreFile(bucket, id, { onConflict, actor }));
  }

  /** Restores a file in a transaction. */
  async restoreIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { onConflict, actor }: Restore,
  ): Promise<FileWithRegion> {
    const { clock, buckets } = this.deps;
    const now = clock();
    // Uploads take their paths under the same lock.
    if (!(await buckets.contents.lock(tx, bucket.id))) throw bucketBeingDeleted();
    const file = await store.removedFile(tx, bucket.id, fileId, now);
    if (!file) throw notFound('File');
    await this.clearPath(tx, bucket, file, { onConflict, actor });
    const isRenamed = onConflict === 'rename';
    const current = await store.restoreRow(tx, file, { isRenamed, now });
    if (!current) throw notFound('File');
    const { stored_bytes: bytes, created_at: createdAt } = current;
    const content = { bytes, fileId, createdAt, isCurrent: true };
    await buckets.contents.currentChanged(tx, bucket.id, content);
    const row = await fileById(tx, fileId);
    if (!row) throw new Error('A file that was restored is not there.');
    const message = `File ${quoted(row.name)} restored.`;
    const how = { type: 'file.restored', actor } as const;
    await announceChanges(tx, bucket, [{ row, message }], how, this.deps);
    return row;
  }

  /** Makes a version the only current file at its path. Throws path-taken for a deleted file. */
  private async clearPath(
    tx: Tx,
    bucket: Bucket,
    file: store.RemovedRow,
    { onConflict, actor }: Restore,
  ): Promise<void> {
    const other = await fileAt(tx, bucket.id, file.path);
    if (other === undefined) return;
    if (file.removal === 'replaced') {
      const removing = { cause: 'replaced', restoring: file.id } as const;
      await this.deps.deletion.deleteIn(tx, bucket, other, actor, removing);
    } else if (onConflict === 'error') throw pathTaken();
  }
}

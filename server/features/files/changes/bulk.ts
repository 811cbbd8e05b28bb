import type { Access, BulkResultWire } from '../../../contract/wire.ts';
import { conflict, notFound } from '../../../errors.ts';
import type { Actor } from '../../../platform/audit/record.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { actorOf } from '../../access/principal.ts';
import type { Bucket, Buckets } from '../../buckets/service.ts';
import type { Caller } from '../../tokens/guard.ts';
import type { FileDeletion } from '../file-deletion.ts';
import type { MoveConflict, Moves } from '../paths/moves.ts';
import { pathMovedTo } from '../paths/paths.ts';
import { fileById } from '../store.ts';
import { changeEach } from './each-file.ts';
import type { FileUpdates } from './updates.ts';

/** How many files a transaction changes, which other changes of the bucket wait for. Each takes some ten statements. */
const SLICE_SIZE = 32;

type Deps = {
  database: Database;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
  moves: Pick<Moves, 'moveIn'>;
  updates: Pick<FileUpdates, 'updateIn'>;
};

/** The files of a call, and who changes them. */
export type BulkFiles = {
  bucket: Bucket;
  ids: string[];
  actor: Actor;
  /** Is called between two slices. */
  keepConnected: () => void;
};

/** Returns the files that a call names. */
export const bulkFilesOf = (
  { bucket, principal, keepConnected }: Caller,
  { ids }: { ids: string[] },
): BulkFiles => ({ bucket, ids, actor: actorOf(principal), keepConnected });

type ChangeFile = (tx: Tx, id: string) => Promise<unknown>;

/**
 * Changes many files by one call. Each is changed, announced and recorded as by a call of its own, and one that can't
 * be changed leaves the others alone. What was done before a failure of the server stays done, and can be repeated.
 */
export class BulkChanges {
  constructor(private readonly deps: Deps) {}

  /** Deletes files. */
  deleteFiles(files: BulkFiles): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return this.inSlices(files, async (tx, id) => {
      if (!(await this.deps.deletion.deleteIn(tx, bucket, id, actor))) throw notFound('File');
    });
  }

  /**
   * Moves files into a folder, where each keeps the last part of its path. Where two of them would get one path, the
   * second stays, so that no file of the call replaces another one.
   * @param options.folder without a slash at its end; '' for the top
   */
  moveFiles(
    files: BulkFiles,
    { folder, onConflict }: { folder: string; onConflict: MoveConflict },
  ): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    const ownerByPath = new Map<string, string>();
    return this.inSlices(files, async (tx, id) => {
      const file = await fileById(tx, id);
      if (file?.bucket_id !== bucket.id) throw notFound('File');
      const path = pathMovedTo(folder, file.path);
      if ((ownerByPath.get(path) ?? id) !== id) {
        throw conflict('Another file of this call is moved to this path.', 'path-taken');
      }
      await this.deps.moves.moveIn(tx, bucket, id, { path, onConflict, actor });
      ownerByPath.set(path, id);
    });
  }

  /** Makes files public or private. */
  setAccess(files: BulkFiles, access: Access): Promise<BulkResultWire> {
    const { bucket, actor } = files;
    return this.inSlices(files, (tx, id) =>
      this.deps.updates.updateIn(tx, bucket, id, { fields: { access }, actor }),
    );
  }

  /** Ids in their order are locked in the order of all transactions. */
  private async inSlices(
    { bucket, ids, keepConnected }: BulkFiles,
    change: ChangeFile,
  ): Promise<BulkResultWire> {
    const data: BulkResultWire['data'] = [];
    const sorted = [...new Set(ids)].sort();
    for (let start = 0; start < sorted.length; start += SLICE_SIZE) {
      const slice = sorted.slice(start, start + SLICE_SIZE);
      const results = await this.deps.database.transaction(async (tx) => {
        await this.deps.buckets.contents.lock(tx, bucket.id);
        return changeEach(slice, (id) => change(tx, id));
      });
      data.push(...results);
      keepConnected();
    }
    return { data };
  }
}

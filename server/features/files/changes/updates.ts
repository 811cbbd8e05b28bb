import type { FileWire } from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import { type Actor, quoted } from '../../../platform/audit/record.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type AnnouncementDeps, announceChanges } from '../announce-change.ts';
import { NO_WORK, toFileWire } from '../file-wire.ts';
import type { MoveConflict, Moves } from '../paths/moves.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import { type FileFields, updateFields } from './updates-store.ts';

type Deps = AnnouncementDeps & { database: Database; moves: Pick<Moves, 'moveIn'> };

/** The change of a file's fields, of which those that are left out stay. */
export type FieldChange = { fields: Partial<FileFields>; actor: Actor };
/** The same, where the file may also be moved. */
export type FileChange = FieldChange & { path?: string; onConflict: MoveConflict };

/** Changes the fields of files, and where they are. Their ids and bytes stay. */
export class FileUpdates {
  constructor(private readonly deps: Deps) {}

  /** Changes and moves a file, all or nothing. Throws not-found, path-taken. */
  async updateFile(bucket: Bucket, fileId: string, change: FileChange): Promise<FileWire> {
    const { database, moves } = this.deps;
    const { path } = change;
    const row = await database.transaction(async (tx) => {
      if (path !== undefined) await moves.moveIn(tx, bucket, fileId, { ...change, path });
      return this.updateIn(tx, bucket, fileId, change);
    });
    return toFileWire(row, NO_WORK, this.deps);
  }

  /**
   * Changes fields of a file in a transaction, and returns the file as it then is. A change that changes nothing is not
   * announced. Throws not-found.
   */
  async updateIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { fields, actor }: FieldChange,
  ): Promise<FileWithRegion> {
    const before = await fileById(tx, fileId);
    if (before?.bucket_id !== bucket.id) throw notFound('File');
    const names = Object.keys(fields) as (keyof FileFields)[];
    const changed = names.filter((name) => fields[name] !== before[name]);
    if (changed.length === 0) return before;
    await updateFields(tx, fileId, fields);
    const row = { ...before, ...fields };
    const message = `File ${quoted(before.name)}: ${changed.join(', ')} changed.`;
    const how = { type: 'file.updated', actor } as const;
    await announceChanges(tx, bucket, [{ row, message }], how, this.deps);
    return row;
  }
}

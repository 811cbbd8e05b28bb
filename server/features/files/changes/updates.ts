import type { Access } from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import { type Actor, quoted } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { Bucket } from '../../buckets/service.ts';
import { type AnnouncementDeps, announceChange } from '../announce-change.ts';
import { type FileWithRegion, fileById } from '../store.ts';
import { updateFields } from './updates-store.ts';

/** The fields of a file that its owner sets. */
export type FileFields = { access: Access };

/** Changes the fields of files. Their ids, bytes and paths stay. */
export class FileUpdates {
  constructor(private readonly deps: AnnouncementDeps) {}

  /**
   * Changes fields of a file in a transaction. Returns the file as it then is, and the functions to call after the
   * commit. A change that changes nothing is not announced. Throws not-found.
   */
  async updateIn(
    tx: Tx,
    bucket: Bucket,
    fileId: string,
    { fields, actor }: { fields: Partial<FileFields>; actor: Actor },
  ): Promise<{ row: FileWithRegion; finish: (() => void)[] }> {
    const before = await fileById(tx, fileId);
    if (before?.bucket_id !== bucket.id) throw notFound('File');
    const names = Object.keys(fields) as (keyof FileFields)[];
    const changed = names.filter((name) => fields[name] !== before[name]);
    if (changed.length === 0) return { row: before, finish: [] };
    await updateFields(tx, fileId, fields);
    const row = { ...before, ...fields };
    const message = `File ${quoted(before.name)}: ${changed.join(', ')} changed.`;
    const announcement = { type: 'file.updated', message, actor } as const;
    return { row, finish: [await announceChange(tx, bucket, row, announcement, this.deps)] };
  }
}

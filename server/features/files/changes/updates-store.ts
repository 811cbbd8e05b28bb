import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { FileRow } from '../tables.ts';

/** The fields of a file that its owner sets. */
export type FileFields = Pick<FileRow, 'access' | 'expires_at' | 'metadata'>;

/** Stores fields of a file. */
export async function updateFields(tx: Tx, id: string, fields: Partial<FileFields>): Promise<void> {
  await tx.updateTable('files').set(fields).where('id', '=', id).execute();
}

/** Returns at most `limit` files that have expired, the first one first. */
export async function expiredFiles(
  db: Executor,
  now: number,
  limit: number,
): Promise<Pick<FileRow, 'id' | 'bucket_id'>[]> {
  return db
    .selectFrom('files')
    .select(['id', 'bucket_id'])
    .where('expires_at', 'is not', null)
    .where('superseded_at', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}

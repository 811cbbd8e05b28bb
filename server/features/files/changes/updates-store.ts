import { type SqlBool, sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { FileRow } from '../tables.ts';

/** The fields of a file that its owner sets. */
export type FileFields = Pick<FileRow, 'access' | 'expires_at' | 'metadata'>;

/** Stores fields of a file. */
export async function updateFields(tx: Tx, id: string, fields: Partial<FileFields>): Promise<void> {
  await tx.updateTable('files').set(fields).where('id', '=', id).execute();
}

export type ExpiredFile = Pick<FileRow, 'id' | 'bucket_id' | 'expires_at'>;

/** Returns at most `limit` files that have expired, the first one first, behind another one in that order. */
export async function expiredFiles(
  db: Executor,
  now: number,
  { after, limit }: { after: ExpiredFile | null; limit: number },
): Promise<ExpiredFile[]> {
  return db
    .selectFrom('files')
    .select(['id', 'bucket_id', 'expires_at'])
    .where('expires_at', 'is not', null)
    .where('superseded_at', 'is', null)
    .where('expires_at', '<=', now)
    .$if(after !== null, (files) =>
      files.where(sql<SqlBool>`(expires_at, id) > (${after?.expires_at}, ${after?.id})`),
    )
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}

export type ListedFile = Pick<FileRow, 'id' | 'path' | 'file_type' | 'created_at'>;

/** Returns at most `limit` current files and folders of a bucket from a path on, in the order of paths. */
export async function filesFrom(
  db: Executor,
  bucketId: string,
  from: string,
  limit: number,
): Promise<ListedFile[]> {
  return db
    .selectFrom('files')
    .select(['id', 'path', 'file_type', 'created_at'])
    .where('bucket_id', '=', bucketId)
    .where('superseded_at', 'is', null)
    .where('path', '>=', from)
    .orderBy('path')
    .limit(limit)
    .execute();
}

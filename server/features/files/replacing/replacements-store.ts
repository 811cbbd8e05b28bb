import { sql } from 'kysely';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { isProcessing } from '../../media/service.ts';
import type { Place, ReplacementRow } from '../tables.ts';

/** Inserts a replacement behind those that wait for the same path, under the lock of its bucket. */
export async function insertReplacement(
  tx: Tx,
  replacement: Omit<ReplacementRow, 'position'>,
): Promise<void> {
  const { bucket_id, path } = replacement;
  const last = await tx
    .selectFrom('replacements')
    .select('position')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  const position = (last?.position ?? 0) + 1;
  await tx
    .insertInto('replacements')
    .values({ ...replacement, position })
    .execute();
}

/** Returns how many files that are being processed wait for a path, at most `limit`. */
export async function countReplacements(
  db: Executor,
  { bucket_id, path }: Place,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom('replacements')
    .select('file_id')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where(isProcessing(sql.ref('replacements.file_id')))
    .limit(limit)
    .execute();
  return rows.length;
}

/**
 * Returns the ids of at most `limit` files that wait for a path, in the order of their uploads.
 * @param before only those before this position; all by default
 */
export async function waitingFiles(
  tx: Tx,
  { bucket_id, path }: Place,
  { before, limit }: { before?: number; limit: number },
): Promise<string[]> {
  const rows = await tx
    .selectFrom('replacements')
    .select('file_id')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .$if(before !== undefined, (query) => query.where('position', '<', before ?? 0))
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ file_id }) => file_id);
}

/** Deletes the replacement of a file, and returns it; undefined where there is none. */
export async function takeReplacement(tx: Tx, fileId: string): Promise<ReplacementRow | undefined> {
  return tx
    .deleteFrom('replacements')
    .where('file_id', '=', fileId)
    .returningAll()
    .executeTakeFirst();
}

/** Has the files that wait for a path behind another one replace that. */
export async function replaceInstead(
  tx: Tx,
  { bucket_id, path, position, file_id }: ReplacementRow,
): Promise<void> {
  await tx
    .updateTable('replacements')
    .set({ replaces: file_id })
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where('position', '>', position)
    .execute();
}

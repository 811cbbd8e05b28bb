import type { Statement } from '../../../platform/db/batch.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { UploadPartRow } from '../tables.ts';

export async function findPart(
  db: Executor,
  uploadId: string,
  position: number,
): Promise<UploadPartRow | undefined> {
  return db
    .selectFrom('upload_parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('position', '=', position)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns the parts of an upload in their order: all, or at most `limit` behind a position. */
export async function listParts(
  db: Executor,
  uploadId: string,
  range?: { after: number; limit: number },
): Promise<UploadPartRow[]> {
  const parts = db
    .selectFrom('upload_parts')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('position');
  return range
    ? parts.where('position', '>', range.after).limit(range.limit).execute()
    : parts.execute();
}

export async function countParts(db: Executor, uploadId: string): Promise<number> {
  const { count } = await db
    .selectFrom('upload_parts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the statement that inserts a part, unless it has arrived before. */
export const partInsertion = (db: Executor, part: UploadPartRow): Statement => ({
  query: insertion(db, part).compile(),
});

/** Inserts a part. Returns false where it has arrived before. */
export async function insertPart(tx: Tx, part: UploadPartRow): Promise<boolean> {
  const inserted = await insertion(tx, part).executeTakeFirstOrThrow();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) === 1n;
}

const insertion = (db: Executor, part: UploadPartRow) =>
  db
    .insertInto('upload_parts')
    .values(part)
    .onConflict((conflict) => conflict.columns(['upload_id', 'position']).doNothing());

/**
 * Adds a part at the end of an upload whose parts arrive in their order. Returns false where its offset has
 * changed, or it is deleted.
 */
export async function appendPart(tx: Tx, part: UploadPartRow): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('upload_sessions')
    .set({ received: part.position + part.size })
    .where('id', '=', part.upload_id)
    .where('received', '=', part.position)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n && insertPart(tx, part);
}

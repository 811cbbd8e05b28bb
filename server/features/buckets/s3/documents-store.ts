import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { BucketDocumentRow } from '../tables.ts';

/** Returns a document of a bucket; undefined where it has none. */
export async function findDocument(
  db: Executor,
  bucketId: string,
  kind: BucketDocumentRow['kind'],
): Promise<string | undefined> {
  const row = await db
    .selectFrom('bucket_documents')
    .select('content')
    .where('bucket_id', '=', bucketId)
    .where('kind', '=', kind)
    .$call(inlineRead)
    .executeTakeFirst();
  return row?.content;
}

/** Stores a document of a bucket in place of the one before. */
export async function setDocument(tx: Tx, row: BucketDocumentRow): Promise<void> {
  await tx
    .insertInto('bucket_documents')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'kind']).doUpdateSet({ content: row.content }),
    )
    .execute();
}

/** Deletes a document of a bucket. */
export async function deleteDocument(
  tx: Tx,
  bucketId: string,
  kind: BucketDocumentRow['kind'],
): Promise<void> {
  await tx
    .deleteFrom('bucket_documents')
    .where('bucket_id', '=', bucketId)
    .where('kind', '=', kind)
    .execute();
}

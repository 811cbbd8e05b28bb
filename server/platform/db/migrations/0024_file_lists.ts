import type { Kysely } from 'kysely';

/**
 * Lists of files by type and access read this index, whichever of them a list is narrowed by. It stands in
 * for the one by bucket alone, of which it is an extension.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('files_list')
    .on('files')
    .columns(['bucket_id', 'file_type', 'access', 'id'])
    .execute();
  await db.schema.dropIndex('files_bucket').execute();
}

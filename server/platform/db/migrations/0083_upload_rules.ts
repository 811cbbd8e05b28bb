import type { Kysely } from 'kysely';

/** Which types and sizes of files a bucket accepts, and how many bytes it may store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('allowed_types', 'text').execute();
  for (const column of ['max_file_bytes', 'storage_limit']) {
    await db.schema.alterTable('buckets').addColumn(column, 'bigint').execute();
  }
}

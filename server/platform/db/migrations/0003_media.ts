import type { Kysely } from 'kysely';

/** What the media process makes beside the file itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['thumb_hash', 'poster', 'previews'] as const) {
    await db.schema.alterTable('files').addColumn(name, 'text').execute();
  }
  await db.schema
    .alterTable('files')
    .addColumn('kept_original', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}

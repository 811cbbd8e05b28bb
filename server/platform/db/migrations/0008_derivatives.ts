import type { Kysely } from 'kysely';

/** Images in other sizes and formats, made when they are asked for; and who may ask. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('derivatives')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('file_id', 'text', (column) =>
      column.notNull().references('files.id').onDelete('cascade'),
    )
    .addColumn('transform', 'text', (column) => column.notNull())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('derivative_of_file', ['file_id', 'transform'])
    .execute();
  await db.schema.createIndex('derivative_use').on('derivatives').column('used_at').execute();
  await db.schema.createIndex('derivative_prefix').on('derivatives').column('prefix').execute();
  await db.schema
    .alterTable('buckets')
    .addColumn('transforms', 'text', (column) => column.notNull().defaultTo('open'))
    .execute();
}

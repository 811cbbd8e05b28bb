import type { Kysely } from 'kysely';

/** Recovery, profiles, known browsers, changes of address that can be undone, and deletion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('status', 'text', (column) => column.notNull().defaultTo('active'))
    .execute();

  const columns = [
    ['device', 'text', ''],
    ['address', 'text', ''],
    ['last_seen_at', 'bigint', 0],
  ] as const;
  for (const [name, type, initial] of columns) {
    await db.schema
      .alterTable('sessions')
      .addColumn(name, type, (column) => column.notNull().defaultTo(initial))
      .execute();
  }
  await db.schema.alterTable('sessions').addColumn('recovered_at', 'bigint').execute();

  await db.schema.alterTable('challenges').addColumn('user_id', 'text').execute();
  await db.schema.alterTable('challenges').addColumn('mail_id', 'text').execute();

  // Where the uploaded bytes of a file are, while they are kept.
  await db.schema.alterTable('files').addColumn('source_prefix', 'text').execute();

  await db.schema
    .createTable('known_browsers')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('browser', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('known_browsers_key', ['user_id', 'browser'])
    .execute();

  await db.schema
    .createTable('email_changes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('old_email', 'text', (column) => column.notNull())
    .addColumn('old_key', 'text', (column) => column.notNull())
    .addColumn('undo_mac', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('closed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('email_changes_old_key')
    .on('email_changes')
    .column('old_key')
    .execute();

  // The columns are those of rate-limiter-flexible.
  await db.schema
    .createTable('rate_limits')
    .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('expire', 'bigint')
    .execute();
}

import { type Kysely, sql } from 'kysely';

/** The hash of what was uploaded, and whose turn a job is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('files').addColumn('sha256', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('owner', 'text').execute();
  await db.schema
    .alterTable('jobs')
    .addColumn('turn', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  const unfinished = [sql.ref('state'), 'in', ['queued', 'running']] as const;
  await db.schema
    .createIndex('jobs_turn')
    .on('jobs')
    .columns(['kind', 'turn', 'id'])
    .where(...unfinished)
    .execute();
  await db.schema
    .createIndex('jobs_owner')
    .on('jobs')
    .columns(['kind', 'owner', 'turn'])
    .where(...unfinished)
    .execute();
}

import { type Kysely, sql } from 'kysely';

/**
 * Indexes by which jobs and webhook deliveries are claimed, counted and forgotten, however many there are.
 * What is due is marked as ready: an index can't depend on the time, and what is due later must not be
 * walked over. What waits already is marked by the next look at what has become due.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['jobs', 'webhook_deliveries']) {
    await db.schema
      .alterTable(table)
      .addColumn('ready', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  for (const name of OLD) await db.schema.dropIndex(name).execute();
  for (const [name, on] of Object.entries(NEW)) {
    await sql`create index ${sql.ref(name)} on ${sql.raw(on)}`.execute(db);
  }
}

const OLD = [
  'jobs_due',
  'jobs_turn',
  'jobs_state',
  'webhook_deliveries_due',
  'webhook_deliveries_owner',
  'webhook_deliveries_receiver',
  'webhook_deliveries_bucket',
];

const NEW = {
  jobs_ready: "jobs (kind, turn, run_at, id) where state = 'queued' and ready = 1",
  jobs_delayed: "jobs (kind, run_at) where state = 'queued' and ready = 0",
  // Renewing a lease changes no indexed column, so that PostgreSQL leaves the indexes alone.
  jobs_running: "jobs (kind) where state = 'running'",
  jobs_failed: "jobs (kind, id) where state = 'failed'",
  jobs_finished: 'jobs (finished_at) where finished_at is not null',
  webhook_deliveries_ready:
    "webhook_deliveries (owner, bucket_id, due_at, id) where state = 'waiting' and ready = 1",
  webhook_deliveries_delayed: "webhook_deliveries (due_at) where state = 'waiting' and ready = 0",
  webhook_deliveries_test:
    "webhook_deliveries (bucket_id) where state = 'waiting' and type = 'webhook.test'",
  webhook_deliveries_finished: 'webhook_deliveries (finished_at) where finished_at is not null',
  // With the state, so that the rows of one state are counted in the index alone.
  webhook_deliveries_bucket: 'webhook_deliveries (bucket_id, id, state)',
};

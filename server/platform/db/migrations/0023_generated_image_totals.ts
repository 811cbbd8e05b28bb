import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Counts the generated images of each bucket, so that nothing has to add all of them up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('derivatives')
    .addColumn('bucket_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update derivatives set bucket_id =
    (select files.bucket_id from files where files.id = derivatives.file_id)`.execute(db);
  await db.schema.createIndex('derivative_bucket').on('derivatives').column('bucket_id').execute();
  await db.schema
    .createIndex('buckets_without_transforms')
    .on('buckets')
    .column('id')
    .where(sql.ref('transforms'), '=', sql.lit('off'))
    .execute();

  await db.schema
    .createTable('derivative_totals')
    .addColumn('bucket_id', 'text', (column) =>
      column.primaryKey().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('images', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into derivative_totals (bucket_id, images, bytes)
    select bucket_id, count(*), sum(bytes) from derivatives group by bucket_id`.execute(db);
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db);
}

const ADD = `insert into derivative_totals (bucket_id, images, bytes)
  values (new.bucket_id, 1, new.bytes)
  on conflict (bucket_id) do update
  set images = derivative_totals.images + 1, bytes = derivative_totals.bytes + excluded.bytes;`;
const REMOVE = `update derivative_totals set images = images - 1, bytes = bytes - old.bytes
  where bucket_id = old.bucket_id;`;

// Images are also deleted by cascade with their file, of which only a trigger learns.
const SQLITE = [
  `create trigger derivative_added after insert on derivatives begin ${ADD} end`,
  `create trigger derivative_removed after delete on derivatives begin ${REMOVE} end`,
];

// The triggers run at the commit: a transaction has locked the bucket's row by then, so that no two
// transactions lock that row and the total in different orders.
const POSTGRES = [
  `create function derivative_added() returns trigger language plpgsql as $$
   begin ${ADD} return null; end $$`,
  `create function derivative_removed() returns trigger language plpgsql as $$
   begin ${REMOVE} return null; end $$`,
  ...['insert:added', 'delete:removed'].map((one) => {
    const [event, name] = one.split(':');
    return `create constraint trigger derivative_${name} after ${event} on derivatives
     deferrable initially deferred for each row execute function derivative_${name}()`;
  }),
];

import { type Kysely, sql } from 'kysely';

/** When each account was banned, after which its buckets are deleted. For earlier bans that time begins now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('banned_at', 'bigint').execute();
  await sql`update users set banned_at = ${Date.now()} where status = 'banned'`.execute(db);
  await sql`create index users_banned on users (banned_at) where banned_at is not null`.execute(db);
}

import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';

/**
 * Returns the newest public image of a bucket that is stored in the home region; undefined where
 * there is none.
 */
export async function newestPublicImage(db: Executor) {
  return db
    .selectFrom('files')
    .innerJoin('media', 'media.file_id', 'files.id')
    .innerJoin('buckets', 'buckets.id', 'files.bucket_id')
    .innerJoin('users', 'users.id', 'buckets.user_id')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'buckets.user_id')
    .select(['files.id', 'files.bucket_id', 'media.entry'])
    .where('media.status', '=', 'success')
    .where('files.superseded_at', 'is', null)
    .where('files.access', '=', 'public')
    .where('files.file_type', '=', 'image')
    .where('buckets.status', '!=', 'deleting')
    .where('ledger_accounts.delivery_until', 'is', null)
    .where('buckets.banned_at', 'is', null)
    .where('users.status', '=', 'active')
    .where('buckets.region', 'is', null)
    .orderBy('files.id', 'desc')
    .executeTakeFirst();
}

/** Whether PostgreSQL has the indexes of the admin's searches, which need the extension pg_trgm. */
export async function hasSearchIndexes(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select bool_and(to_regclass(name) is not null) as found
    from unnest(array['audit_log_search', 'buckets_search', 'users_search']) as name`.execute(db);
  return rows[0]?.found === true;
}

import { sql } from 'kysely';
import type { AuditSection } from '../../contract/audit.ts';
import { DAY, PAGE_SIZE } from '../../contract/limits.ts';
import { FIRST_PAGE, holdsWords, type ListRange, paged } from '../../platform/db/listing.ts';
import type { Executor } from '../../platform/db/port.ts';
import { firstIdAt } from '../../platform/ids.ts';

export type BucketFilters = ListRange & { name?: string };
export type UserFilters = ListRange & {
  email?: string;
  active?: 'true' | 'false' | '';
  verified?: 'true' | 'false' | '';
};
export type LogFilters = ListRange & {
  section?: AuditSection | '';
  /** Words joined by '&', all of which the message must contain. */
  text?: string;
  /** The id of the subject of the entry. */
  subject?: string;
};

/** Returns a page of all buckets with their owners, newest first. */
export async function listBuckets(db: Executor, filters: BucketFilters) {
  let query = db
    .selectFrom('buckets')
    .leftJoin('users', 'users.id', 'buckets.user_id')
    .selectAll('buckets')
    .select(['users.status as owner_status', 'users.email as owner_email']);
  if (filters.name) query = query.where(holdsWords(filters.name, 'name_key'));
  return paged(query, 'buckets', filters).execute();
}

export type ListedBucket = Awaited<ReturnType<typeof listBuckets>>[number];

/** Returns a page of accounts, newest first. The address of every account is verified. */
export async function listAccounts(db: Executor, filters: UserFilters) {
  let query = db.selectFrom('users').select(['id', 'email', 'status', 'created_at']);
  if (filters.email) query = query.where(holdsWords(filters.email, 'email_key'));
  if (filters.active) {
    query = query.where('status', filters.active === 'true' ? '=' : '!=', 'active');
  }
  return paged(query, 'users', filters).execute();
}

/** Returns a page of signups that wait for their code, without the decoys for taken addresses. */
export async function listPending(db: Executor, filters: UserFilters, now: number) {
  let query = db
    .selectFrom('challenges')
    .select(['id', 'email', 'created_at', sql<'pending'>`'pending'`.as('status')])
    .where('purpose', '=', 'signup')
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .where('code_mac', '!=', '');
  if (filters.email) query = query.where(holdsWords(filters.email, 'email_key'));
  return paged(query, 'challenges', filters).execute();
}

/**
 * Returns a page of the entries that are not hidden. There may be millions, so it sorts and filters
 * by the id, which contains the time and has an index.
 */
export async function listLogs(db: Executor, filters: LogFilters, limit = PAGE_SIZE) {
  const { cursor, from, to, section, text, subject } = filters;
  let query = db
    .selectFrom('audit_log')
    .leftJoin('users', 'users.id', 'audit_log.actor_id')
    .leftJoin('users as subject', 'subject.id', 'audit_log.subject_id')
    .selectAll('audit_log')
    .select(['users.email as actor_email', 'subject.email as subject_email'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit_hidden')
            .select('log_id')
            .whereRef('audit_hidden.log_id', '=', 'audit_log.id'),
        ),
      ),
    )
    .orderBy('audit_log.id', 'desc')
    .limit(limit + 1);
  if (cursor && cursor !== FIRST_PAGE) query = query.where('audit_log.id', '<', cursor);
  if (from) query = query.where('audit_log.id', '>=', firstIdAt(Date.parse(from)));
  if (to) query = query.where('audit_log.id', '<', firstIdAt(Date.parse(to) + DAY));
  if (section) query = query.where('section', '=', section);
  if (subject) query = query.where('subject_id', '=', subject);
  if (text) query = query.where(holdsWords(text, 'message_key'));
  return query.execute();
}

export type ListedLog = Awaited<ReturnType<typeof listLogs>>[number];

import { sql } from 'kysely';
import type { AuditSection } from '../../contract/audit.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { ListRange } from '../../platform/db/listing.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { searched } from '../../platform/db/search.ts';
import { addressKey } from '../../platform/mail/address.ts';
import { bucketCounters } from '../buckets/service.ts';

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
export async function listBuckets(database: Database, filters: BucketFilters) {
  const { db } = database;
  const ids = db.selectFrom('buckets').select('id');
  const rows = db
    .selectFrom('buckets')
    .leftJoin('users', 'users.id', 'buckets.user_id')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'buckets.user_id')
    .selectAll('buckets')
    .select(bucketCounters)
    .select(['users.status as owner_status', 'users.email as owner_email'])
    .select('ledger_accounts.delivery_until');
  return searched(database, 'buckets', { ids, rows }, { ...filters, words: filters.name });
}

export type ListedBucket = Awaited<ReturnType<typeof listBuckets>>['rows'][number];

/** Returns words of an address as they are in its key, where an international domain is in ASCII. */
const toKeys = (words: string | undefined) =>
  words
    ?.split('&')
    .map((word) => addressKey(word.trim()))
    .join('&');

/** Returns a page of accounts, newest first. The address of every account is verified. */
export async function listAccounts(database: Database, filters: UserFilters) {
  const { db } = database;
  let ids = db.selectFrom('users').select('id');
  // SQLite uses the partial index of the inactive ones only if the condition is a literal.
  if (filters.active === 'true') ids = ids.where(sql<boolean>`status = 'active'`);
  if (filters.active === 'false') ids = ids.where(sql<boolean>`status <> 'active'`);
  const rows = db.selectFrom('users').select(['id', 'email', 'status', 'created_at']);
  return searched(database, 'users', { ids, rows }, { ...filters, words: toKeys(filters.email) });
}

/** Returns a page of signups that wait for their code, without the decoys for taken addresses. */
export async function listPending(database: Database, filters: UserFilters, now: number) {
  const { db } = database;
  const ids = db
    .selectFrom('challenges')
    .select('id')
    // SQLite uses the partial index only if its conditions are written exactly as in the index.
    .where(sql<boolean>`purpose = 'signup' and closed_at is null and code_mac <> ''`)
    .where('expires_at', '>', now);
  const rows = db
    .selectFrom('challenges')
    .select(['id', 'email', 'created_at', sql<'pending'>`'pending'`.as('status')]);
  return searched(
    database,
    'challenges',
    { ids, rows },
    { ...filters, words: toKeys(filters.email) },
  );
}

/** Returns a page of the entries that are not hidden, newest first. */
export async function listLogs(database: Database, filters: LogFilters) {
  const { db } = database;
  const { section, text, subject } = filters;
  let ids = db
    .selectFrom('audit_log')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit_hidden')
            .select('log_id')
            .whereRef('audit_hidden.log_id', '=', 'audit_log.id'),
        ),
      ),
    );
  if (section) ids = ids.where('section', '=', section);
  if (subject) ids = ids.where('subject_id', '=', subject);
  const rows = db.selectFrom('audit_log').selectAll('audit_log');
  return searched(database, 'audit_log', { ids, rows }, { ...filters, words: text });
}

/** Returns the accounts and their current addresses among these ids. */
export async function addressesOf(db: Executor, ids: string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', ids)
    .$call(inlineRead)
    .execute();
}

/** Returns the owners of the buckets among these ids. */
export async function ownersOf(db: Executor, bucketIds: string[]) {
  return db
    .selectFrom('buckets')
    .select(['id', 'user_id'])
    .where('id', 'in', bucketIds)
    .$call(inlineRead)
    .execute();
}

export type ListedLog = Awaited<ReturnType<typeof listLogs>>['rows'][number];

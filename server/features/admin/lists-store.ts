import { sql } from 'kysely';
import type { AdminBucketSort, AdminUserSort } from '../../contract/admin/list-orders.ts';
import type { AuditSection } from '../../contract/audit.ts';
import type { SortOrder } from '../../contract/files/file-order.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import { type ListRange, requireIdCursor, toPage } from '../../platform/db/listing.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { type Found, searched } from '../../platform/db/search.ts';
import { addressKey } from '../../platform/mail/address.ts';
import { bucketCounters } from '../buckets/service.ts';
import { ACCOUNTS_IN_ORDER, BUCKETS_IN_ORDER } from './sorted-lists-store.ts';

export type BucketFilters = ListRange & {
  name?: string;
  /** The id of the account whose buckets are listed. */
  owner?: string;
  sort?: AdminBucketSort | '';
  order?: SortOrder | '';
};
export type UserFilters = ListRange & {
  email?: string;
  sort?: AdminUserSort | '';
  order?: SortOrder | '';
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

/** A page of rows, and the cursor of the next one; null where there is none. */
type Listed<Row> = { rows: Row[]; next: string | null };

/** Returns a page of all buckets with their owners, newest first or in an order. Throws bad-request for a cursor of another one. */
export async function listBuckets(
  database: Database,
  filters: BucketFilters,
): Promise<Listed<ListedBucket>> {
  const { db } = database;
  const { sort, owner, name: words } = filters;
  const rows = bucketRows(db);
  if (sort) {
    const { ids, next } = await BUCKETS_IN_ORDER[sort](db, { ...filters, words });
    return { rows: await inOrder(ids, rows.where('buckets.id', 'in', ids)), next };
  }
  let ids = db.selectFrom('buckets').select('id');
  if (owner) ids = ids.where('user_id', '=', owner);
  requireIdCursor(filters);
  return toListed(
    await searched(database, 'buckets', { ids, rows }, { ...filters, words }),
    filters,
  );
}

const bucketRows = (db: Executor) =>
  db
    .selectFrom('buckets')
    .leftJoin('users', 'users.id', 'buckets.user_id')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'buckets.user_id')
    .leftJoin('bucket_stats', 'bucket_stats.bucket_id', 'buckets.id')
    .selectAll('buckets')
    .select(bucketCounters)
    .select(['users.status as owner_status', 'users.email as owner_email'])
    .select(['bucket_stats.spend_month', 'bucket_stats.spend'])
    .select('ledger_accounts.delivery_until');

export type ListedBucket = Awaited<
  ReturnType<ReturnType<typeof bucketRows>['executeTakeFirstOrThrow']>
>;

/** Returns a bucket with its owner; undefined where there is none. */
export const bucketDetail = (db: Executor, id: string): Promise<ListedBucket | undefined> =>
  bucketRows(db).where('buckets.id', '=', id).executeTakeFirst();

/** Returns rows in the order of their ids. */
async function inOrder<Row extends { id: string }>(
  ids: string[],
  query: { execute(): Promise<Row[]> },
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await query.execute()).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Drops the row that is one too many, and finds the next cursor. */
function toListed<Row extends { id: string }>(
  { rows, end }: Found<Row>,
  range: ListRange,
): Listed<Row> {
  const { data, nextId } = toPage(rows, range.limit, (row) => row, end);
  return { rows: data, next: nextId };
}

/** Returns words of an address as they are in its key, where an international domain is in ASCII. */
const toKeys = (words: string | undefined) =>
  words
    ?.split('&')
    .map((word) => addressKey(word.trim()))
    .join('&');

/** Returns a page of accounts, newest first. The address of every account is verified. */
export async function listAccounts(database: Database, filters: UserFilters) {
  const { db } = database;
  requireIdCursor(filters);
  let ids = db.selectFrom('users').select('id');
  // SQLite uses the partial index of the inactive ones only if the condition is a literal.
  if (filters.active === 'true') ids = ids.where(sql<boolean>`status = 'active'`);
  if (filters.active === 'false') ids = ids.where(sql<boolean>`status <> 'active'`);
  const rows = accountRows(db);
  return searched(database, 'users', { ids, rows }, { ...filters, words: toKeys(filters.email) });
}

/** Returns a page of accounts in an order. Throws bad-request for a cursor of another one. */
export async function listSortedAccounts(
  { db }: Database,
  filters: UserFilters & { sort: AdminUserSort },
): Promise<Listed<ListedAccount>> {
  const words = toKeys(filters.email);
  const { ids, next } = await ACCOUNTS_IN_ORDER[filters.sort](db, { ...filters, words });
  return { rows: await inOrder(ids, accountRows(db).where('users.id', 'in', ids)), next };
}

const accountRows = (db: Executor) =>
  db
    .selectFrom('users')
    .leftJoin('account_stats', 'account_stats.user_id', 'users.id')
    .leftJoin('ledger_accounts', 'ledger_accounts.user_id', 'users.id')
    .select(['users.id', 'users.email', 'users.status', 'users.created_at'])
    .select(['account_stats.stored', 'account_stats.month', 'account_stats.bandwidth'])
    .select(['ledger_accounts.balance', 'ledger_accounts.spend_month', 'ledger_accounts.spend'])
    .select(({ selectFrom }) =>
      selectFrom('account_totals')
        .select(({ fn }) => fn.sum<number>('account_totals.buckets').as('buckets'))
        .whereRef('account_totals.user_id', '=', 'users.id')
        .as('buckets'),
    );

export type ListedAccount = Awaited<
  ReturnType<ReturnType<typeof accountRows>['executeTakeFirstOrThrow']>
>;

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

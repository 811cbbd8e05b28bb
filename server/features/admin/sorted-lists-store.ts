import { type RawBuilder, sql } from 'kysely';
import {
  type AdminBucketSort,
  type AdminUserSort,
  defaultOrderOf,
} from '../../contract/admin/list-orders.ts';
import type { SortOrder } from '../../contract/files/file-order.ts';
import { holdsTerm, idsOfDays, type ListRange, termsOf } from '../../platform/db/listing.ts';
import type { Executor } from '../../platform/db/port.ts';
import { type SortedPage, sortedPage } from '../../platform/db/sorted-page.ts';

type Filters = ListRange & {
  order?: SortOrder | '';
  /** Words joined by '&', all of which the name or the address contains. */
  words: string | undefined;
};
type SortedBuckets = Filters & { owner?: string };
type SortedAccounts = Filters & { active?: 'true' | 'false' | '' };
type List<Options> = (db: Executor, filters: Options) => Promise<SortedPage>;

/** Returns the ids of a page of buckets by what they store. */
export const bucketsByUsage: List<SortedBuckets> = (db, filters) =>
  bucketPage(ofOwner(db.selectFrom('buckets'), filters), filters, {
    sort: 'usage',
    columns: ['buckets.usage', 'buckets.id'],
  });

/** Returns the ids of a page of buckets by what they have sent this month; those of other months have sent nothing. */
export const bucketsByBandwidth: List<SortedBuckets> = (db, filters) =>
  bucketPage(ofOwner(bucketsWithStats(db), filters), filters, {
    sort: 'bandwidth',
    columns: ['bucket_stats.month', 'bucket_stats.bandwidth', 'bucket_stats.bucket_id'],
  });

/** Returns the ids of a page of buckets by what was charged for them this month, in the same way. */
export const bucketsBySpend: List<SortedBuckets> = (db, filters) =>
  bucketPage(ofOwner(bucketsWithStats(db), filters), filters, {
    sort: 'spend',
    columns: ['bucket_stats.spend_month', 'bucket_stats.spend', 'bucket_stats.bucket_id'],
  });

export const BUCKETS_IN_ORDER: Record<AdminBucketSort, List<SortedBuckets>> = {
  usage: bucketsByUsage,
  bandwidth: bucketsByBandwidth,
  spend: bucketsBySpend,
};

/** Returns the ids of a page of accounts by what their buckets store. */
export const accountsByStorage: List<SortedAccounts> = (db, filters) =>
  accountPage(accountsWithStats(db), filters, {
    sort: 'storage',
    columns: ['account_stats.stored', 'account_stats.user_id'],
  });

/** Returns the ids of a page of accounts by what their buckets have sent this month. */
export const accountsByBandwidth: List<SortedAccounts> = (db, filters) =>
  accountPage(accountsWithStats(db), filters, {
    sort: 'bandwidth',
    columns: ['account_stats.month', 'account_stats.bandwidth', 'account_stats.user_id'],
  });

/** Returns the ids of a page of accounts by what they were charged this month. */
export const accountsBySpend: List<SortedAccounts> = (db, filters) =>
  accountPage(openLedgers(db), filters, {
    sort: 'spend',
    columns: ['ledger_accounts.spend_month', 'ledger_accounts.spend', 'ledger_accounts.user_id'],
  });

/** Returns the ids of a page of accounts by what they have left. */
export const accountsByBalance: List<SortedAccounts> = (db, filters) =>
  accountPage(openLedgers(db), filters, {
    sort: 'balance',
    columns: ['ledger_accounts.balance', 'ledger_accounts.user_id'],
  });

export const ACCOUNTS_IN_ORDER: Record<AdminUserSort, List<SortedAccounts>> = {
  storage: accountsByStorage,
  bandwidth: accountsByBandwidth,
  spend: accountsBySpend,
  balance: accountsByBalance,
};

const bucketsWithStats = (db: Executor) =>
  db.selectFrom('bucket_stats').innerJoin('buckets', 'buckets.id', 'bucket_stats.bucket_id');

const accountsWithStats = (db: Executor) =>
  db.selectFrom('account_stats').innerJoin('users', 'users.id', 'account_stats.user_id');

const openLedgers = (db: Executor) =>
  db
    .selectFrom('ledger_accounts')
    .innerJoin('users', 'users.id', 'ledger_accounts.user_id')
    // SQLite uses the partial index only if the condition is a literal, as it is in the index.
    .where(sql<boolean>`closed_at is null`);

const ofOwner = <Query extends { where(condition: RawBuilder<boolean>): Query }>(
  query: Query,
  { owner }: SortedBuckets,
): Query => (owner ? query.where(sql<boolean>`buckets.user_id = ${owner}`) : query);

type Order<Sort> = { sort: Sort; columns: [...string[], string] };
type Listed = Parameters<typeof sortedPage>[0];

const bucketPage = (
  query: Listed,
  filters: SortedBuckets,
  { sort, columns }: Order<AdminBucketSort>,
) =>
  sortedPage(
    query,
    { columns, order: filters.order || defaultOrderOf(sort) },
    filters,
    conditionsOf(filters, 'buckets.id', 'buckets.name_key'),
  );

function accountPage(
  query: Listed,
  filters: SortedAccounts,
  { sort, columns }: Order<AdminUserSort>,
) {
  const conditions = conditionsOf(filters, 'users.id', 'users.email_key');
  if (filters.active === 'true') conditions.push(sql`users.status = 'active'`);
  if (filters.active === 'false') conditions.push(sql`users.status <> 'active'`);
  const order = filters.order || defaultOrderOf(sort);
  return sortedPage(query, { columns, order }, filters, conditions);
}

/** Returns what days and words demand of a row, which no index of an order narrows. */
function conditionsOf(filters: Filters, id: string, column: string): RawBuilder<boolean>[] {
  const { first, end } = idsOfDays(filters);
  return [
    ...(first ? [sql<boolean>`${sql.ref(id)} >= ${first}`] : []),
    ...(end ? [sql<boolean>`${sql.ref(id)} < ${end}`] : []),
    ...termsOf(filters.words ?? '').map((term) => holdsTerm(term, column)),
  ];
}

/** The tables that don't grow with the number of tenants or of what they do. Every other table does. */
export const SMALL_TABLES: ReadonlySet<string> = new Set([
  // One row.
  ...['audit_floor', 'trusted_time'],
  // A row for each change of the prices, for each day, and for each backup that runs.
  ...['prices', 'usage_totals', 'deletion_pauses'],
  // A row for each process that ran in the last week.
  'usage_flushes',
  ...['kysely_migration', 'kysely_migration_lock'],
]);

/** Functions of stores that send no statement, because they only compute something. */
export const WITHOUT_STATEMENTS: ReadonlySet<string> = new Set([
  ...['currentSecret', 'firstSecret', 'rolledSecret', 'signingSecrets'].map(
    (name) => `features/buckets/webhooks/webhook-secret-store.ts ${name}`,
  ),
  ...['sumsOf', 'toUse'].map((name) => `features/billing/charging/open-use-store.ts ${name}`),
  ...['unfoldedBytes', 'unfoldedFiles'].map((name) => `features/buckets/counters-store.ts ${name}`),
  'features/buckets/lock-store.ts isHeldAlone',
  ...['isRestorable', 'versionsAt'].map(
    (name) => `features/files/retention/retention-store.ts ${name}`,
  ),
  ...['isProcessing', 'mediaColumns'].map((name) => `features/media/store.ts ${name}`),
  'features/usage/stats-store.ts monthAddition',
  // Only PostgreSQL has changes to fold.
  ...['foldBuckets', 'lockFolding'].map((name) => `features/usage/changes-store.ts ${name}`),
  // They lock on PostgreSQL only, or read what another statement has returned.
  'features/buckets/lock-store.ts uploadLock',
  'features/buckets/quotas/quota-store.ts lockReservations',
  ...['insertedPath', 'lockPath', 'lockFileAt'].map(
    (name) => `features/files/paths/insertion-store.ts ${name}`,
  ),
  'platform/storage/deletion-pause-store.ts deletionsNotPaused',
  ...['isBelow', 'isWholeList', 'unindexedConditions'].map(
    (name) => `features/files/listing/filters-store.ts ${name}`,
  ),
  // Its table is in a temporary file.
  'cli/fsck/folder-store.ts openFolders',
  // It calls the function that it is given, which is one of the others.
  'cli/fsck/store.ts paged',
]);

const SLICE = { filters: {}, order: 'desc', conditions: [], limit: 51, offset: 0 };

/** Of lists in an order: a later page of a search. */
const sorted = (cursor: string) => [undefined, { words: 'a', from: '2026-01-01', cursor }];

/** The first arguments of functions that can't be called with made-up ones. */
export const ARGUMENTS: Record<string, unknown[]> = {
  ...Object.fromEntries(
    Object.entries({
      ...{ bucketsByUsage: '5.b', bucketsByBandwidth: '3.5.b', bucketsBySpend: '3.5.b' },
      ...{ accountsByStorage: '5.b', accountsByBandwidth: '3.5.b' },
      ...{ accountsBySpend: '3.5.b', accountsByBalance: '-5.b' },
    }).map(([name, cursor]) => [`features/admin/sorted-lists-store.ts ${name}`, sorted(cursor)]),
  ),
  'features/admin/lists-store.ts listSortedAccounts': [undefined, { sort: 'balance' }],
  'features/admin/lists-store.ts listBuckets': [undefined, { name: 'a' }],
  'platform/key-uses-store.ts markUsedRows': [undefined, 's3_keys'],
  'features/usage/stats-store.ts addToBucketStats': [undefined, 0, new Map([['b', 1]])],
  'features/usage/store.ts addToFiles': [undefined, 'file_bandwidth'],
  'features/usage/top-files/store.ts dropFileRequests': [
    undefined,
    { bucketId: 'b', day: 1, fileIds: ['f'] },
  ],
  'features/usage/top-files/store.ts addFileRequests': [
    undefined,
    { bucketId: 'b', day: 1, files: new Map([['f', { requests: 1, bytes: 1, missed: 0 }]]) },
  ],
  'features/files/listing/list-store.ts listFiles': [undefined, 'b', { q: 'a', prefix: 'b/' }],
  'features/files/listing/positions-store.ts datePositions': [
    undefined,
    'b',
    { ...SLICE, after: 'c', last: 'd' },
  ],
  'features/files/listing/positions-store.ts pathPositions': [
    undefined,
    'b',
    { ...SLICE, after: '/c', last: '/a' },
  ],
  'features/files/listing/positions-store.ts sizePositions': [
    undefined,
    'b',
    { ...SLICE, after: '0000000000000005-c', last: '0000000000000001-a' },
  ],
  'features/files/paths/folder-store.ts sortedFolderEntries': [
    undefined,
    'b',
    {
      ...{ prefix: 'a/', sort: 'size', order: 'asc', limit: 51 },
      after: { isFolder: false, position: '0000000000000005-c' },
    },
  ],
  'platform/secrets/reseal-store.ts sealedRows': [
    undefined,
    { table: 'jobs', column: 'payload', context: 'id', jobKind: 'mail' },
  ],
  'platform/secrets/reseal-store.ts replaceSealed': [
    undefined,
    {
      table: 'api_keys',
      column: 'key_sealed',
      context: 'bucket_id',
      lookup: { column: 'key_hash' },
    },
  ],
};

const NEWEST = 'It goes along the ids from the newest on, and a limit ends it.';
const LATEST = 'It goes along the jobs that ended last, and a limit ends it.';
const SEARCHED = 'It goes along the ids from the newest on, and examines a bounded number of rows.';
const ONCE_EACH = 'It reads every row once, in batches by key, on the command of an operator.';
const AT_START = 'It runs once, when the only process of a server starts.';
const ONCE = 'It runs once, with the upgrade from a version without a ledger.';
const FAILING = 'Its index holds only those that fail, and a limit ends it.';
const FOLDED =
  'It has the changes of the last second, and the admin asks for the sums over all buckets.';
const BUCKET_SUMS = 'It adds up a row for each bucket with generated images, once a round.';

/** Why a function may read a growing table from one end to the other: by function, then by table. */
export const ALLOWED_SCANS: Record<string, Record<string, string>> = {
  'cli/fsck/ledger-store.ts allHeads': { ledger_entries: ONCE_EACH },
  'cli/fsck/ledger-store.ts creditsOfPayments': { ledger_entries: ONCE_EACH },
  'cli/fsck/totals-store.ts bucketsWithoutKey': { api_keys: ONCE_EACH, buckets: ONCE_EACH },
  'cli/fsck/totals-store.ts miscountedAccounts': { account_totals: ONCE_EACH, buckets: ONCE_EACH },
  'cli/fsck/totals-store.ts miscountedBlobs': { blobs: ONCE_EACH, files: ONCE_EACH },
  'cli/fsck/totals-store.ts miscountedBuckets': { buckets: ONCE_EACH, files: ONCE_EACH },
  'features/admin/lists-store.ts listAccounts': { users: SEARCHED },
  'features/admin/lists-store.ts listBuckets': { buckets: SEARCHED },
  'features/admin/lists-store.ts listLogs': {
    audit_log: SEARCHED,
    audit_hidden: 'It holds the few entries that an admin has hidden.',
  },
  'features/admin/lists-store.ts listSortedAccounts': {
    ledger_accounts: 'It goes along the index of the order from its end, and a limit ends it.',
  },
  'features/admin/lists-store.ts listPending': { challenges: SEARCHED },
  'features/admin/operations-store.ts lastBackupAt': {
    audit_log: 'Its index has the backups only, and a limit ends it.',
  },
  'features/admin/store.ts holdings': {
    account_totals: 'The admin asks for the sums over all accounts.',
    usage_changes: FOLDED,
  },
  'features/billing/ledger/ledger-overview-store.ts sumCredit': {
    ledger_accounts: 'The admin asks for the sums over all accounts.',
  },
  'features/billing/ledger/ledger-overview-store.ts sumOpenUse': {
    usage_hours:
      'The admin asks for the sums over all buckets, which have rows of the current day only.',
    usage_changes: FOLDED,
  },
  'features/billing/ledger/ledger-store.ts usersWithoutAccount': {
    users: ONCE,
    ledger_accounts: ONCE,
  },
  'features/billing/payments/store.ts owedPayments': {
    payments: 'Its index holds only the payments that have to be refunded, which are few.',
  },
  'features/buckets/api-keys/api-keys-store.ts newestPrimaryKey': {
    buckets: NEWEST,
    api_keys: NEWEST,
  },
  'features/delivery/transforms/store.ts leastUsed': {
    derivatives: 'It goes along the index of the last use, and a limit ends it.',
    derivative_totals: BUCKET_SUMS,
  },
  'features/delivery/transforms/store.ts totalBytes': { derivative_totals: BUCKET_SUMS },
  'features/files/store.ts newestFiles': { files: NEWEST },
  'features/usage/rollup-store.ts totalsSince': { usage_changes: FOLDED },
  'platform/queue/line-store.ts findLine': { jobs: LATEST },
  'platform/queue/lease-store.ts releaseAllJobs': { jobs: AT_START },
  'platform/storage/due-deletes-store.ts countFailingDeletes': { pending_deletes: FAILING },
  'platform/storage/due-deletes-store.ts failingDeletes': { pending_deletes: FAILING },
};

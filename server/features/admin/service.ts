import { statfs } from 'node:fs/promises';
import { PAGE_SIZE } from '../../contract/limits.ts';
import { toUsd } from '../../contract/money.ts';
import type {
  AdminBucketDetailWire,
  AdminBucketWire,
  AdminJobsWire,
  AdminLedgerWire,
  AdminLogWire,
  AdminOperationsWire,
  AdminOverviewQuery,
  AdminOverviewWire,
  AdminOwedWire,
  AdminPaymentWire,
  AdminUserDetailWire,
  AdminUserWire,
  Page,
} from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import type { ClockGuard } from '../../platform/clock-guard/clock-guard.ts';
import { noticeOf } from '../../platform/clock-guard/judge-clock.ts';
import { type ListRange, toPage } from '../../platform/db/listing.ts';
import { findMailFailure } from '../../platform/mail/mail-failure.ts';
import type { DiskReserve } from '../../platform/storage/disk-reserve.ts';
import { countFailingDeletes, failingDeletes } from '../../platform/storage/due-deletes-store.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Payments } from '../billing/payments/service.ts';
import type { Billing } from '../billing/service.ts';
import type { Buckets } from '../buckets/service.ts';
import { monthOf, type Usage } from '../usage/service.ts';
import { type AdminActionDeps, AdminActions } from './actions.ts';
import * as lists from './lists-store.ts';
import { accountsOf } from './log-accounts.ts';
import { exportLogs } from './log-export.ts';
import { type OperationsDeps, operationsOf } from './operations.ts';
import { overviewOf } from './overview.ts';
import { bucketWire, deletionWire, jobWire, listedUserWire, logWire, userWire } from './rows.ts';
import * as store from './store.ts';

type AdminDeps = AdminActionDeps &
  OperationsDeps & {
    accounts: Pick<Accounts, 'isAdmin'>;
    buckets: Pick<Buckets, 'ofAccount' | 'quotas'>;
    usage: Pick<Usage, 'bandwidthOf' | 'totalsSince'>;
    billing: Pick<Billing, 'balance' | 'ledger' | 'outstanding'>;
    payments: Pick<Payments, 'listForAdmin' | 'listOwed' | 'webhooks'>;
    dataDir: string;
    diskReserve: Pick<DiskReserve, 'bytes'>;
    clockGuard: Pick<ClockGuard, 'doubt'>;
  };

/** How many running jobs are listed, and how many failed ones. */
const MAX_LISTED_JOBS = 20;
const MAX_LISTED_DELETIONS = 5;
const MAX_COUNTED_DELETIONS = 10_000;

/** What the admin sees of the whole server. `actions` has what the admin can change. */
export class Admin {
  readonly actions: AdminActions;
  private readonly deps: AdminDeps;

  constructor(deps: AdminDeps) {
    this.deps = deps;
    this.actions = new AdminActions(deps);
  }

  /** Returns daily values of the whole server and their sums. Throws invalid. */
  overview(query: AdminOverviewQuery): Promise<AdminOverviewWire> {
    const { database, usage, billing, clock } = this.deps;
    const sources = {
      totalsSince: (day: number) => usage.totalsSince(day),
      outstanding: (stored: number) => billing.outstanding(stored),
    };
    return overviewOf(database.db, sources, query, clock());
  }

  /** Returns a page of the buckets of all users or one, newest first or in an order. Throws bad-request. */
  async listBuckets(filters: lists.BucketFilters): Promise<Page<AdminBucketWire>> {
    const { rows, next } = await lists.listBuckets(this.deps.database, filters);
    return { data: await this.toBuckets(rows), nextId: next };
  }

  private async toBuckets(rows: lists.ListedBucket[]): Promise<AdminBucketWire[]> {
    const bandwidth = await this.deps.usage.bandwidthOf(rows.map(({ id }) => id));
    const month = monthOf(this.deps.clock());
    return rows.map((row) => bucketWire(row, { bandwidth: bandwidth.get(row.id) ?? 0, month }));
  }

  /** Returns a bucket with its owner. Throws not-found. */
  async bucket(id: string): Promise<AdminBucketDetailWire> {
    const row = await lists.bucketDetail(this.deps.database.db, id);
    const [bucket] = row ? await this.toBuckets([row]) : [];
    if (!row || !bucket) throw notFound('Bucket');
    return {
      ...bucket,
      banned: row.banned_at === null ? null : new Date(row.banned_at).toISOString(),
    };
  }

  /**
   * Returns a page of the users, newest first. Signups that wait for their code are among them,
   * neither active nor verified. A list in an order has none of them, as they have nothing yet. Throws bad-request.
   */
  async listUsers(filters: lists.UserFilters): Promise<Page<AdminUserWire>> {
    const { database, clock } = this.deps;
    const { active, verified, sort, limit = PAGE_SIZE } = filters;
    const month = monthOf(clock());
    if (sort) {
      if (verified === 'false') return { data: [], nextId: null };
      const sorted = await lists.listSortedAccounts(database, { ...filters, sort });
      return { data: sorted.rows.map((row) => listedUserWire(row, month)), nextId: sorted.next };
    }
    const none = { rows: [], end: null };
    const [accounts, pending] = await Promise.all([
      verified === 'false' ? none : lists.listAccounts(database, filters),
      active === 'true' || verified === 'true'
        ? none
        : lists.listPending(database, filters, clock()),
    ]);
    // Below the higher end, only one of the two has been searched.
    const ends = [accounts.end, pending.end].filter((end) => end !== null).sort();
    const end = ends.at(-1) ?? null;
    const rows = [...accounts.rows, ...pending.rows]
      .filter(({ id }) => end === null || id >= end)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    return toPage(rows.slice(0, limit + 1), limit, (row) => listedUserWire(row, month), end);
  }

  /** Returns a user with the totals of their buckets, sessions and credit. Throws not-found. */
  async user(id: string): Promise<AdminUserDetailWire> {
    const { database, clock, accounts, buckets, billing } = this.deps;
    const row = await store.userById(database.db, id);
    if (!row) throw notFound('User');
    const [owned, storage, sessions, balance] = await Promise.all([
      buckets.ofAccount.totals(id),
      buckets.quotas.storageOf(id),
      store.sessionsOf(database.db, id, clock()),
      billing.balance(id),
    ]);
    return {
      ...userWire(row),
      ...owned,
      is_admin: accounts.isAdmin(row.email_key),
      sessions: sessions.count,
      last_seen: sessions.lastSeenAt === null ? null : new Date(sessions.lastSeenAt).toISOString(),
      credit: toUsd(balance),
      max_bytes: row.max_bytes,
      storage,
    };
  }

  /** Returns a page of a user's payments, newest first. */
  paymentsOf(userId: string, range: ListRange): Promise<Page<AdminPaymentWire>> {
    return this.deps.payments.listForAdmin(userId, range);
  }

  /** Returns a page of the entries of a user's ledger, newest first. */
  ledgerOf(userId: string, range: ListRange): Promise<Page<AdminLedgerWire>> {
    return this.deps.billing.ledger(userId, range);
  }

  /** Returns a page of the audit log, newest first, without the hidden entries. */
  async listLogs(filters: lists.LogFilters): Promise<Page<AdminLogWire>> {
    const { database } = this.deps;
    const { rows, end } = await lists.listLogs(database, filters);
    const accounts = await accountsOf(database.db, rows);
    return toPage(rows, filters.limit, (row) => logWire(row, accounts(row)), end);
  }

  /** Streams the whole audit log as text, with the filters and the order of `listLogs`. */
  exportLogs(filters: lists.LogFilters, format: 'csv' | 'jsonl'): ReadableStream<Uint8Array> {
    return exportLogs(this.deps.database, filters, format);
  }

  /**
   * Returns a page of the payments that arrived but were not credited or refunded, newest first.
   */
  owedPayments(range: ListRange): Promise<Page<AdminOwedWire>> {
    return this.deps.payments.listOwed(range);
  }

  /**
   * Counts the jobs by state, lists the running and the failed ones and the deletions of objects that
   * fail, measures the data disk, and says whether the clock is doubted and why mails are not sent.
   */
  async jobs(): Promise<AdminJobsWire> {
    const { database, clock, queue, dataDir, diskReserve, clockGuard, payments } = this.deps;
    const [counts, running, failed, disk, failing, deletions, mail, webhooks] = await Promise.all([
      queue.openCounts(),
      queue.inState('running', MAX_LISTED_JOBS),
      queue.inState('failed', MAX_LISTED_JOBS),
      statfs(dataDir),
      countFailingDeletes(database.db, MAX_COUNTED_DELETIONS),
      failingDeletes(database.db, MAX_LISTED_DELETIONS),
      findMailFailure(database.db, clock()),
      payments.webhooks(),
    ]);
    const total = (state: string) =>
      counts.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);
    return {
      queued: total('queued'),
      running: total('running'),
      failed: total('failed'),
      jobs: [...running, ...failed].map((job) =>
        jobWire(job, job.state === 'failed' && queue.isRetryable(job)),
      ),
      clock: clockGuard.doubt && noticeOf(clockGuard.doubt),
      mail,
      webhooks,
      disk: {
        free: disk.bavail * disk.bsize,
        total: disk.blocks * disk.bsize,
        reserve: diskReserve.bytes,
      },
      deletions: { failing, examples: deletions.map(deletionWire) },
    };
  }

  /** Returns how the server is doing, what needs the operator's attention, and what to do about it. */
  async operations(): Promise<AdminOperationsWire> {
    return operationsOf(this.deps, await this.jobs(), this.deps.clock());
  }
}

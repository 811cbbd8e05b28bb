import { statfs } from 'node:fs/promises';
import type {
  AdminBucketDetailWire,
  AdminBucketWire,
  AdminJobsWire,
  AdminLogWire,
  AdminOverviewQuery,
  AdminUserDetailWire,
  AdminUserWire,
} from '../../contract/admin.ts';
import { PAGE_SIZE } from '../../contract/limits.ts';
import { toUsd } from '../../contract/money.ts';
import type { Page } from '../../contract/wire.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ListRange, toPage } from '../../platform/db/listing.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Queue } from '../../platform/queue/queue.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Payments } from '../billing/payments/service.ts';
import type { Billing } from '../billing/service.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Usage } from '../usage/service.ts';
import { createAdminActions } from './actions.ts';
import * as lists from './lists.ts';
import { exportLogs } from './log-export.ts';
import { overviewOf } from './overview.ts';
import { bucketWire, logWire, userWire } from './rows.ts';
import * as store from './store.ts';

export type Admin = ReturnType<typeof createAdmin>;

export type AdminServices = {
  database: Database;
  clock: Clock;
  queue: Queue;
  accounts: Accounts;
  buckets: Buckets;
  usage: Usage;
  billing: Pick<Billing, 'balance' | 'review'>;
  payments: Pick<Payments, 'owed'>;
  dataDir: string;
};

/** Jobs of a state that are told of one by one. */
const JOBS_SHOWN = 20;

/** What the operator sees of the whole server, and does to it. */
export function createAdmin(services: AdminServices) {
  const { database, clock, queue, accounts, buckets, usage, billing, payments, dataDir } = services;
  const { db } = database;

  return {
    ...createAdminActions(services),

    /** Throws invalid. */
    overview: (query: AdminOverviewQuery) => overviewOf(db, usage.totalsSince, query, clock()),

    /** Newest first, of all users. */
    async listBuckets(filters: lists.BucketFilters): Promise<Page<AdminBucketWire>> {
      const rows = await lists.listBuckets(db, filters);
      const sent = await usage.bandwidthOf(rows.map(({ id }) => id));
      return toPage(rows, filters.limit, (row) => bucketWire(row, sent.get(row.id) ?? 0));
    },

    /** Throws not-found. */
    async bucket(id: string): Promise<AdminBucketDetailWire> {
      const row = await store.bucketDetail(db, id);
      if (!row) throw notFound('Bucket');
      const sent = await usage.bandwidthOf([id]);
      return {
        ...bucketWire(row, sent.get(id) ?? 0),
        owner: { id: row.user_id, email: row.owner_email },
        banned: row.banned_at === null ? null : new Date(row.banned_at).toISOString(),
      };
    },

    /** Newest first; signups that wait for their code are among them, neither active nor verified. */
    async listUsers(filters: lists.UserFilters): Promise<Page<AdminUserWire>> {
      const { active, verified, limit = PAGE_SIZE } = filters;
      const [known, pending] = await Promise.all([
        verified === 'false' ? [] : lists.listAccounts(db, filters),
        active === 'true' || verified === 'true' ? [] : lists.listPending(db, filters, clock()),
      ]);
      const rows = [...known, ...pending].sort((a, b) => (a.id < b.id ? 1 : -1));
      return toPage(rows.slice(0, limit + 1), limit, userWire);
    },

    /** Throws not-found. */
    async user(id: string): Promise<AdminUserDetailWire> {
      const row = await store.userById(db, id);
      if (!row) throw notFound('User');
      const [held, sessions, balance] = await Promise.all([
        buckets.totals(id),
        store.sessionsOf(db, id, clock()),
        billing.balance(id),
      ]);
      return {
        ...userWire(row),
        ...held,
        isAdmin: accounts.isAdmin(row.email_key),
        sessions: sessions.count,
        last_seen:
          sessions.lastSeenAt === null ? null : new Date(sessions.lastSeenAt).toISOString(),
        credit: toUsd(balance),
      };
    },

    /** Newest first, without those that are hidden. */
    async listLogs(filters: lists.LogFilters): Promise<Page<AdminLogWire>> {
      const { limit = PAGE_SIZE } = filters;
      return toPage(await lists.listLogs(db, filters, limit), limit, logWire);
    },

    /** The same, all of it, as a stream of text. */
    exportLogs: (filters: lists.LogFilters, format: 'csv' | 'jsonl') =>
      exportLogs(db, filters, format),

    /** Payments that arrived and were not credited, until they are given back; newest first. */
    owedPayments: (range: ListRange) => payments.owed(range),

    /** What is being done, what could not be, and how much room there is. */
    async jobs(): Promise<AdminJobsWire> {
      const [counts, running, failed, disk] = await Promise.all([
        queue.openCounts(),
        queue.inState('running', JOBS_SHOWN),
        queue.inState('failed', JOBS_SHOWN),
        statfs(dataDir),
      ]);
      const total = (state: string) =>
        counts.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);
      return {
        queued: total('queued'),
        running: total('running'),
        failed: total('failed'),
        jobs: [...running, ...failed].map((job) => ({
          id: job.id,
          kind: job.kind,
          subject: job.subject,
          state: job.state === 'running' ? 'running' : 'failed',
          progress: job.progress,
          attempts: job.attempts,
          error: job.error,
          retryable: job.state === 'failed' && queue.isRetryable(job),
          date: new Date(job.created_at).toISOString(),
        })),
        disk: { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
      };
    },
  };
}

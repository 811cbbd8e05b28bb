import { toUsd } from '../../contract/money.ts';
import type {
  AdminBucketWire,
  AdminFailingDeletionWire,
  AdminJobWire,
  AdminLogWire,
  AdminUserWire,
} from '../../contract/wire.ts';
import type { JobRow } from '../../platform/queue/tables.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';
import { bucketStatusOf } from '../buckets/service.ts';
import type { ListedAccount, ListedBucket, ListedLog } from './lists-store.ts';
import type { LogAccounts } from './log-accounts.ts';

const iso = (at: number) => new Date(at).toISOString();

/** Returns a bucket as the API shows it. `bandwidth` is how many bytes it has sent this month, which starts at `month`. */
export const bucketWire = (
  row: ListedBucket,
  { bandwidth, month }: { bandwidth: number; month: number },
): AdminBucketWire => ({
  id: row.id,
  region: row.region,
  name: row.name,
  status: bucketStatusOf(row),
  usage: row.usage,
  bandwidth,
  spend: spendIn(month, row),
  total_uploads: row.total_uploads,
  owner: { id: row.user_id, email: row.owner_email },
  date: iso(row.created_at),
});

/** Returns what was charged in a month in USD. What is kept of a month that is over counts no more. */
const spendIn = (
  month: number,
  { spend_month, spend }: { spend_month: number | null; spend: number | null },
) => toUsd(spend_month === month ? (spend ?? 0) : 0);

/** What a signup has that waits for its code. */
const NO_FIGURES = { buckets: 0, storage: 0, bandwidth: 0, spend: 0, balance: 0 };

type UserRow = { id: string; email: string; status: AdminUserWire['status']; created_at: number };

/** Returns a user as the API shows it. */
export const userWire = (row: UserRow): Omit<AdminUserWire, keyof typeof NO_FIGURES> => ({
  id: row.id,
  active: row.status === 'active',
  email: row.email,
  verified: row.status !== 'pending',
  status: row.status,
  date: iso(row.created_at),
});

/** Returns an account, or a signup that waits for its code, as the list shows it in the month that starts at `month`. */
export const listedUserWire = (
  row: ListedAccount | (UserRow & { status: 'pending' }),
  month: number,
): AdminUserWire => ({
  ...userWire(row),
  ...NO_FIGURES,
  ...('stored' in row && {
    buckets: row.buckets ?? 0,
    storage: row.stored ?? 0,
    bandwidth: row.month === month ? (row.bandwidth ?? 0) : 0,
    spend: spendIn(month, row),
    balance: toUsd(row.balance ?? 0),
  }),
});

/** Returns an entry of the audit log as the API shows it, with the accounts that it is by and about. */
export const logWire = (row: ListedLog, { by, about }: LogAccounts): AdminLogWire => ({
  id: row.id,
  section: row.section,
  action: row.action,
  message: row.message,
  actor: {
    kind: row.actor,
    user: row.actor === 'key' || row.actor_id === null ? null : { id: row.actor_id, email: by },
    key_id: row.actor === 'key' ? row.actor_id : null,
  },
  subject: row.subject_id,
  subject_email: about,
  details: JSON.parse(row.details),
  date: iso(row.created_at),
});

/** Returns a running or failed job as the API shows it. */
export const jobWire = (row: JobRow, retryable: boolean): AdminJobWire => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  state: row.state === 'running' ? 'running' : 'failed',
  progress: row.progress,
  attempts: row.attempts,
  error: row.error,
  retryable,
  date: iso(row.created_at),
});

/** Returns a deletion of objects that has failed as the API shows it. */
export const deletionWire = (row: PendingDeleteRow): AdminFailingDeletionWire => ({
  prefix: row.prefix,
  error: row.error ?? '',
  attempts: row.failures,
  retry: iso(row.not_before),
});

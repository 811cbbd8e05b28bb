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
import type { ListedBucket, ListedLog } from './lists-store.ts';
import type { LogAccounts } from './log-accounts.ts';

const iso = (at: number) => new Date(at).toISOString();

/** Returns a bucket as the API shows it. `bandwidth` is how many bytes it has sent this month. */
export const bucketWire = (row: ListedBucket, bandwidth: number): AdminBucketWire => ({
  id: row.id,
  region: row.region,
  name: row.name,
  status: bucketStatusOf(row),
  usage: row.usage,
  bandwidth,
  total_uploads: row.total_uploads,
  date: iso(row.created_at),
});

/** Returns a user, or a signup that waits for its code, as the API shows it. */
export const userWire = (row: {
  id: string;
  email: string;
  status: AdminUserWire['status'];
  created_at: number;
}): AdminUserWire => ({
  id: row.id,
  active: row.status === 'active',
  email: row.email,
  verified: row.status !== 'pending',
  status: row.status,
  date: iso(row.created_at),
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

import type { AdminBucketWire, AdminLogWire, AdminUserWire } from '../../contract/admin.ts';
import type { BucketRow, UserRow } from '../../platform/db/tables.ts';
import { standingOf } from '../buckets/service.ts';
import type { ListedLog } from './lists.ts';

const iso = (at: number) => new Date(at).toISOString();

type PlacedBucket = BucketRow & { owner_status: UserRow['status'] | null };

/** Rows of the database as the API answers them. */
export const bucketWire = (row: PlacedBucket, bandwidth: number): AdminBucketWire => ({
  id: row.id,
  region: row.region,
  name: row.name,
  status: standingOf(row),
  usage: row.usage,
  bandwidth,
  total_uploads: row.total_uploads,
  date: iso(row.created_at),
});

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

export const logWire = (row: ListedLog): AdminLogWire => ({
  id: row.id,
  section: row.section,
  action: row.action,
  message: row.message,
  actor: {
    kind: row.actor,
    user: row.actor_id === null ? null : { id: row.actor_id, email: row.actor_email },
  },
  subject: row.subject_id,
  subject_email: row.subject_email,
  details: JSON.parse(row.details),
  date: iso(row.created_at),
});

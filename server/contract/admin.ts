import type { AuditActor, AuditSection } from './audit.ts';
import type { ChartUnit } from './charts.ts';
import type { Region } from './regions.ts';
import type { BucketStatus, PaymentWire } from './wire.ts';

/** What the admin's chart shows, by the name the API calls it. */
export const ADMIN_CHART_TYPES = {
  disk: 'Disk',
  bandwidth: 'Bandwidth',
  revenue: 'Revenue',
} as const;
export type AdminChartType = keyof typeof ADMIN_CHART_TYPES;

/** What is charted where nothing is asked for. */
export const ADMIN_CHART_DEFAULTS = { chartType: 'disk', unit: 'KiB' } as const;

/** The unit that money is in, whatever is asked for. */
export const REVENUE_UNIT = 'Revenue USD $';

export type AdminOverviewQuery = {
  from?: string;
  to?: string;
  chartType?: AdminChartType | '';
  unit?: ChartUnit | '';
};

/** Days are in UTC, yyyy-MM-dd. */
export type AdminOverviewWire = {
  /** In the unit asked for; revenue in USD. */
  stats: { date: string; data: number }[];
  /** Bytes stored at the end of the range. */
  usage: number;
  /** Bytes sent in it. */
  bandwidth: number;
  /** Files in all buckets now. */
  total_uploads: number;
  /** USD paid in it, less what was given back. */
  revenue: number;
};

/** A user as other rows name them; the address is null once the account is gone. */
export type AdminUserRef = { id: string; email: string | null };

export type AdminBucketWire = {
  id: string;
  region: Region | null;
  name: string;
  status: BucketStatus;
  usage: number;
  /** Bytes sent this month, in UTC. */
  bandwidth: number;
  total_uploads: number;
  date: string;
};

export type AdminBucketDetailWire = AdminBucketWire & {
  owner: AdminUserRef;
  /** When it was banned, by itself; null also where its owner is. */
  banned: string | null;
};

/** A pending one has not answered the code of its signup. */
export type AdminUserStatus = 'active' | 'banned' | 'deleting' | 'pending';

export type AdminUserWire = {
  id: string;
  /** Whether it may log in. */
  active: boolean;
  email: string;
  /** Whether the address has answered the code. */
  verified: boolean;
  status: AdminUserStatus;
  date: string;
};

export type AdminUserDetailWire = AdminUserWire & {
  isAdmin: boolean;
  buckets: number;
  files: number;
  bytes: number;
  sessions: number;
  last_seen: string | null;
  /** USD. */
  credit: number;
};

export type AdminLogWire = {
  id: string;
  section: AuditSection;
  action: string;
  message: string;
  actor: { kind: AuditActor; user: AdminUserRef | null };
  /** The id of what it is about. */
  subject: string | null;
  /** Where that is an account that is still there. */
  subject_email: string | null;
  details: Record<string, string | number | boolean | null>;
  date: string;
};

export type AdminJobWire = {
  id: string;
  kind: string;
  subject: string;
  state: 'running' | 'failed';
  /** Per cent. */
  progress: number;
  attempts: number;
  error: string | null;
  /** Whether a failed one can be done again. */
  retryable: boolean;
  date: string;
};

export type AdminJobsWire = {
  queued: number;
  running: number;
  failed: number;
  /** The newest running ones, and the newest failed ones. */
  jobs: AdminJobWire[];
  /** Bytes of the disk that DATA_DIR is on. */
  disk: { free: number; total: number };
};

/** A payment that arrived and was not credited, until the provider says that it went back. */
export type AdminOwedWire = {
  id: string;
  /** Who paid. */
  user: AdminUserRef;
  method: PaymentWire['method'];
  note: PaymentWire['note'];
  /** USD that are owed. */
  owed: number;
  /** The provider's ids of the payment and of its page, by which it is found there. */
  reference: string | null;
  checkout: string | null;
  date: string;
};

/** USD that can be granted at once. */
export const GRANT_MAX = 10_000;

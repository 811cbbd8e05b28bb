import type { Static } from 'elysia';
import type { SessionAnswer } from './schemas/accounts.ts';
import type {
  AdminBucketDetailAnswer,
  AdminBucketPageAnswer,
  AdminUserDetailAnswer,
  AdminUserPageAnswer,
  JobsAnswer,
  LogPageAnswer,
  OverviewAnswer,
  OverviewQuery,
  OwedPageAnswer,
} from './schemas/admin.ts';
import type {
  CostsAnswer,
  PaymentAnswer,
  StatementAnswer,
  StatementListAnswer,
} from './schemas/billing.ts';
import type {
  BucketAnswer,
  BucketDetailAnswer,
  ChartAnswer,
  ChartQuery as ChartQuerySchema,
  DeliveryAnswer,
} from './schemas/buckets.ts';
import type { FileAnswer, FileDetailAnswer, FilePageAnswer } from './schemas/files.ts';

/*
 * The types of what the API sends and takes. Dates are ISO 8601 in UTC, sizes are bytes, amounts
 * are USD with up to 6 decimals, and months are written '2026-11'.
 */

/** One page of a list; `nextId` is the cursor of the next one, null at the end. */
export type Page<Row> = { data: Row[]; nextId: string | null };

export type SessionWire = Static<typeof SessionAnswer>;

export type BucketWire = Static<typeof BucketAnswer>;
export type BucketDetailWire = Static<typeof BucketDetailAnswer>;
export type BucketStatus = BucketWire['status'];

export type DeliveryWire = Static<typeof DeliveryAnswer>;
export type WebhookType = DeliveryWire['type'];
export type DeliveryState = DeliveryWire['state'];

export type FileWire = Static<typeof FileAnswer>;
export type FilePageWire = Static<typeof FilePageAnswer>;
export type FileDetailWire = Static<typeof FileDetailAnswer>;
export type RenditionWire = NonNullable<FileDetailWire['renditions']>[number];
export type FileStatus = FileWire['status'];
export type FileType = FileWire['file_type'];
export type Access = FileWire['access'];

/** The user who views a page. `credit` is the balance in USD, null where it could not be read. */
export type Viewer = { userId: string; email: string; isAdmin: boolean; credit: number | null };

export type PaymentWire = Static<typeof PaymentAnswer>;
export type PaymentStatus = PaymentWire['status'];
export type PaymentNote = NonNullable<PaymentWire['note']>;

export type ChartWire = Static<typeof ChartAnswer>;
/** The query of a chart; an empty value counts as unset. */
export type ChartQuery = Static<typeof ChartQuerySchema>;

/**
 * A message of the WebSocket to an open page. It holds nothing that the page could not read by
 * HTTP.
 */
export type FileEvent = {
  type: 'file.progress' | 'file.playable' | 'file.success' | 'file.error' | 'file.deleted';
  fileId: string;
  bucketId: string;
  status: FileStatus;
  /** Per cent, 0 to 100. */
  progress: number;
};

export type CostsWire = Static<typeof CostsAnswer>;
export type SplitWire = CostsWire['soFar'];

export type StatementWire = Static<typeof StatementAnswer>;
export type StatementSummaryWire = Static<typeof StatementListAnswer>['data'][number];

export type AdminOverviewQuery = Static<typeof OverviewQuery>;
export type AdminOverviewWire = Static<typeof OverviewAnswer>;

export type AdminBucketWire = Static<typeof AdminBucketPageAnswer>['data'][number];
export type AdminBucketDetailWire = Static<typeof AdminBucketDetailAnswer>;

export type AdminUserWire = Static<typeof AdminUserPageAnswer>['data'][number];
export type AdminUserDetailWire = Static<typeof AdminUserDetailAnswer>;
export type AdminUserStatus = AdminUserWire['status'];

export type AdminLogWire = Static<typeof LogPageAnswer>['data'][number];

export type AdminJobsWire = Static<typeof JobsAnswer>;
export type AdminJobWire = AdminJobsWire['jobs'][number];

export type AdminOwedWire = Static<typeof OwedPageAnswer>['data'][number];

import type { Static } from 'elysia';
import type { AccessTokenInfoResponse } from './schemas/access-tokens.ts';
import type { SessionResponse } from './schemas/accounts.ts';
import type {
  AdminBucketDetailResponse,
  AdminBucketPageResponse,
  AdminPaymentResponse,
  AdminUserDetailResponse,
  AdminUserPageResponse,
  JobsResponse,
  LedgerPageResponse,
  LogPageResponse,
  OperationsResponse,
  OverviewQuery,
  OverviewResponse,
  OwedPageResponse,
} from './schemas/admin.ts';
import type { ApiKeyInfoResponse, CreatedApiKeyResponse } from './schemas/api-keys.ts';
import type {
  CostsResponse,
  DayChargesResponse,
  PaymentResponse,
  StatementListResponse,
  StatementResponse,
} from './schemas/billing.ts';
import type {
  BucketResponse,
  ChartQuery as ChartQuerySchema,
  ChartResponse,
  StorageResponse,
  TopFilesQuery as TopFilesQuerySchema,
  TopFilesResponse,
} from './schemas/buckets.ts';
import type { BulkResponse } from './schemas/bulk-changes.ts';
import type {
  FileDetailResponse,
  FilePageResponse,
  FileResponse,
  FolderPageResponse,
  TrashPageResponse,
} from './schemas/files.ts';
import type { FolderJobResponse } from './schemas/folder-jobs.ts';
import type { BucketSourceResponse, S3ImportResponse } from './schemas/imports.ts';
import type { CreatedS3KeyResponse, S3KeyResponse } from './schemas/s3-keys.ts';
import type { WebhookAttemptDetailResponse, WebhookAttemptResponse } from './schemas/webhooks.ts';
import type { ZipResponse } from './schemas/zips.ts';

/*
 * The types of what the API sends and takes. Dates are ISO 8601 in UTC, sizes are bytes, amounts
 * are USD with up to 6 decimals, and months are written '2026-11'.
 */

/** One page of a list; `nextId` is the cursor of the next one, null at the end. */
export type Page<Row> = { data: Row[]; nextId: string | null };

export type SessionWire = Static<typeof SessionResponse>;

export type BucketWire = Static<typeof BucketResponse>;
/** A bucket with its API key, as a session may see it that has confirmed its password. */
export type BucketDetailWire = BucketWire & { api_key: string };
export type BucketStatus = BucketWire['status'];
export type ApiKeyWire = Static<typeof ApiKeyInfoResponse>;
/** A key as only the response to its creation has it. */
export type CreatedApiKeyWire = Static<typeof CreatedApiKeyResponse>;
/** An access key for the S3 API, and one as only the response to its creation has it. */
export type S3KeyWire = Static<typeof S3KeyResponse>;
export type CreatedS3KeyWire = Static<typeof CreatedS3KeyResponse>;
export type KeyScope = ApiKeyWire['scope'];
/** An access token with a name. Only the response to its creation has the token itself. */
export type AccessTokenWire = Static<typeof AccessTokenInfoResponse>;

export type StorageWire = Static<typeof StorageResponse>;

export type WebhookAttemptWire = Static<typeof WebhookAttemptResponse>;
export type WebhookAttemptDetailWire = Static<typeof WebhookAttemptDetailResponse>;
export type WebhookType = WebhookAttemptWire['type'];
export type WebhookAttemptState = WebhookAttemptWire['state'];

export type FileWire = Static<typeof FileResponse>;
export type FilePageWire = Static<typeof FilePageResponse>;
export type FolderPageWire = Static<typeof FolderPageResponse>;
export type BulkResultWire = Static<typeof BulkResponse>;
export type TrashPageWire = Static<typeof TrashPageResponse>;
export type RemovedFileWire = TrashPageWire['data'][number];
export type S3ImportWire = Static<typeof S3ImportResponse>;
export type BucketSourceWire = Static<typeof BucketSourceResponse>;
export type FolderJobWire = Static<typeof FolderJobResponse>;
export type ZipWire = Static<typeof ZipResponse>;
export type FileDetailWire = Static<typeof FileDetailResponse>;
export type RenditionWire = NonNullable<FileDetailWire['renditions']>[number];
export type FileStatus = FileWire['status'];
export type FileType = FileWire['file_type'];
/** The types of files that are processed. */
export type MediaType = 'image' | 'video';
export type Access = FileWire['access'];

/** The user who views a page. `credit` is the balance in USD, null where it could not be read. */
export type Viewer = {
  userId: string;
  email: string;
  isAdmin: boolean;
  credit: number | null;
  /** Whether this server has the S3 API. */
  hasS3?: boolean;
};

export type PaymentWire = Static<typeof PaymentResponse>;
export type PaymentStatus = PaymentWire['status'];
export type PaymentNote = NonNullable<PaymentWire['note']>;

export type ChartWire = Static<typeof ChartResponse>;
/** The query of a chart; an empty value counts as unset. */
export type ChartQuery = Static<typeof ChartQuerySchema>;

export type TopFilesWire = Static<typeof TopFilesResponse>;
/** The query of a bucket's top files; an empty value counts as unset. */
export type TopFilesQuery = Static<typeof TopFilesQuerySchema>;

/**
 * A message of the WebSocket to an open page. It holds nothing that the page could not read by
 * HTTP.
 */
export type FileEvent = {
  type:
    | 'file.created'
    | 'file.progress'
    | 'file.playable'
    | 'file.success'
    | 'file.error'
    | 'file.moved'
    | 'file.updated'
    | 'file.replaced'
    | 'file.deleted'
    | 'file.restored';
  file_id: string;
  bucket_id: string;
  status: FileStatus;
  /** Per cent, 0 to 100. */
  progress: number;
};

export type CostsWire = Static<typeof CostsResponse>;
export type SplitWire = CostsWire['so_far'];
export type BucketCostWire = CostsWire['buckets'][number];
export type DayChargesWire = Static<typeof DayChargesResponse>;

export type StatementWire = Static<typeof StatementResponse>;
export type StatementSummaryWire = Static<typeof StatementListResponse>['data'][number];

export type AdminOverviewQuery = Static<typeof OverviewQuery>;
export type AdminOverviewWire = Static<typeof OverviewResponse>;

export type AdminBucketWire = Static<typeof AdminBucketPageResponse>['data'][number];
export type AdminBucketDetailWire = Static<typeof AdminBucketDetailResponse>;

export type AdminUserWire = Static<typeof AdminUserPageResponse>['data'][number];
export type AdminUserDetailWire = Static<typeof AdminUserDetailResponse>;
export type AdminOperationsWire = Static<typeof OperationsResponse>;
export type AdminUserStatus = AdminUserWire['status'];

export type AdminLogWire = Static<typeof LogPageResponse>['data'][number];

export type AdminJobsWire = Static<typeof JobsResponse>;
export type AdminJobWire = AdminJobsWire['jobs'][number];
export type AdminFailingDeletionWire = AdminJobsWire['deletions']['examples'][number];

export type AdminPaymentWire = Static<typeof AdminPaymentResponse>;
export type AdminLedgerWire = Static<typeof LedgerPageResponse>['data'][number];
export type AdminOwedWire = Static<typeof OwedPageResponse>['data'][number];

/** A section of the guide or a call of the reference, for the search of the documentation. */
export type DocsSearchEntry = {
  kind: 'guide' | 'call';
  /** The page, or the method and the path. */
  title: string;
  /** The heading, or the summary; empty for the start of a page. */
  section: string;
  path: string;
  /** In lower case. */
  text: string;
};

import type { AccountTables } from '../../features/accounts/tables.ts';
import type { PaymentTables } from '../../features/billing/payments/tables.ts';
import type { BillingTables } from '../../features/billing/tables.ts';
import type { BucketTables } from '../../features/buckets/tables.ts';
import type { TransformTables } from '../../features/delivery/transforms/tables.ts';
import type { FileTables } from '../../features/files/tables.ts';
import type { ImportTables } from '../../features/imports/tables.ts';
import type { MediaTables } from '../../features/media/tables.ts';
import type { S3Tables } from '../../features/s3/keys/tables.ts';
import type { UploadTables } from '../../features/uploads/tables.ts';
import type { UsageTables } from '../../features/usage/tables.ts';
import type { AuditTables } from '../audit/tables.ts';
import type { ClockTables } from '../clock-guard/tables.ts';
import type { EventTables } from '../events/tables.ts';
import type { IdempotencyTables } from '../idempotency/tables.ts';
import type { QueueTables } from '../queue/tables.ts';
import type { StorageTables } from '../storage/tables.ts';
import type { WebhookTables } from '../webhooks/tables.ts';

/**
 * All tables by name. Each module describes its own tables beside its store. Times are epoch milliseconds,
 * sizes are bytes and booleans are 0 or 1; every number is a BIGINT.
 */
export type Tables = AccountTables &
  AuditTables &
  BillingTables &
  BucketTables &
  ClockTables &
  EventTables &
  FileTables &
  IdempotencyTables &
  ImportTables &
  MediaTables &
  PaymentTables &
  QueueTables &
  S3Tables &
  StorageTables &
  TransformTables &
  UploadTables &
  UsageTables &
  WebhookTables;

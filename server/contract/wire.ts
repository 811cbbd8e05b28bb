import type { Static } from 'elysia';
import type { SessionAnswer } from './schemas/accounts.ts';
import type { BucketAnswer, BucketDetailAnswer, DeliveryAnswer } from './schemas/buckets.ts';
import type { FileAnswer, FileDetailAnswer, FilePageAnswer } from './schemas/files.ts';
import type { PaymentAnswer } from './schemas/payments.ts';
import type { ChartAnswer, ChartQuery as ChartQuerySchema } from './schemas/usage.ts';

/** What the API answers, as both sides see it. Dates are ISO 8601 UTC, sizes bytes. */

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

/** Who looks at a page. `credit` is the balance in USD, null where it can't be had. */
export type Viewer = { userId: string; email: string; isAdmin: boolean; credit: number | null };

export type PaymentWire = Static<typeof PaymentAnswer>;
export type PaymentStatus = PaymentWire['status'];
export type PaymentNote = NonNullable<PaymentWire['note']>;

export type ChartWire = Static<typeof ChartAnswer>;
/** What is asked for; empty counts as unset. */
export type ChartQuery = Static<typeof ChartQuerySchema>;

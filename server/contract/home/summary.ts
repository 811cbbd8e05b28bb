import type { Static } from 'elysia';
import type { SummaryResponse } from '../schemas/home.ts';
import type { FileWire } from '../wire.ts';

/** What is shown of a file without its details: a picture, or the icon of its type. */
export type FilePreview = Pick<FileWire, 'id' | 'file_type' | 'status' | 'thumbhash'>;

/** How an account is doing. */
export type HomeSummary = Static<typeof SummaryResponse>;

/** One of the newest files of an account. */
export type RecentFile = HomeSummary['recent'][number];

/** A value for each UTC day of this month up to today, and for each day of the month before. */
export type MonthSeries = NonNullable<HomeSummary['months']>['storage'];

/** The newest files of buckets, by the id of the bucket. */
export type BucketPreviews = Record<string, FilePreview[]>;

/** How many files the preview of a bucket has. */
export const BUCKET_PREVIEW_FILES = 4;

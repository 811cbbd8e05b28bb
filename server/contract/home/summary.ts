import type { CostsWire, FileWire, StorageWire } from '../wire.ts';

/** What is shown of a file without its details: a picture, or the icon of its type. */
export type FilePreview = Pick<FileWire, 'id' | 'file_type' | 'status' | 'thumbhash'>;

/** One of the newest files of an account. */
export type RecentFile = FilePreview &
  Pick<FileWire, 'name' | 'size' | 'date'> & { bucket_id: string; bucket_name: string };

/** A value for each UTC day of this month up to today, and for each day of the month before. */
export type MonthSeries = { days: number[]; before: number[] };

/** How an account is doing. */
export type HomeSummary = {
  /** The current UTC day, yyyy-MM-dd. */
  today: string;
  /** The balance in USD and the current rate; null where nothing can be paid, or nothing is charged. */
  balance: { credit: number; recent: CostsWire['recent'] } | null;
  storage: StorageWire & { files: number };
  /** In bytes and requests; null where the account has more buckets than are added up. */
  months: { stored: MonthSeries; bandwidth: MonthSeries; requests: MonthSeries } | null;
  /** The newest files of all buckets. */
  recent: RecentFile[];
};

/** The newest files of buckets, by the id of the bucket. */
export type BucketPreviews = Record<string, FilePreview[]>;

/** How many files the preview of a bucket has. */
export const BUCKET_PREVIEW_FILES = 4;

/**
 * The usage of a bucket in one UTC hour that is not charged yet. `hour` is the start of the hour. An
 * hour in which nothing was sent, uploaded or changed has no row: what a bucket stores in it follows
 * from the changes before it.
 */
export type UsageHourRow = {
  user_id: string;
  bucket_id: string;
  hour: number;
  /** The bytes sent, and the bytes of completed uploads. */
  bandwidth: number;
  uploaded: number;
  /** How many more bytes are stored at the end of the hour than at its start. */
  stored_change: number;
  /**
   * The bytes × milliseconds by which these changes add to what is stored until the end of the hour:
   * the whole multiples of a GiB, and the remainder. Both are negative where more was deleted.
   */
  stored_gib_ms: number;
  stored_byte_ms: number;
};

/**
 * The usage of a bucket on one UTC day. Day 0 has the sums of all days that are too old to be
 * charted.
 */
export type UsageDayRow = {
  bucket_id: string;
  day: number;
  bandwidth: number;
  uploaded: number;
  /** How many more bytes are stored at the end of the day than at its start. */
  stored: number;
  /** The same number, but only of the files that still exist. */
  kept: number;
  /** The bytes of the files that were deleted on the day. */
  removed: number;
  /** The requests that were answered with a file, and those of them that were answered from a cache. */
  requests: number;
  cached_requests: number;
};

/**
 * The bytes of a file that were sent on one UTC day, or the bytes by which the file grew. What it had on the day
 * of its `created_at` has no row, unless an earlier version has written one: it is the rest of its bytes.
 */
export type FileDayRow = { file_id: string; day: number; bytes: number };

/** The changes of all buckets together on a past day. */
export type UsageTotalRow = { day: number; stored: number; bandwidth: number };

/** The last batch of counts that a process has written: its number, and when it was written. */
export type UsageFlushRow = { process: string; number: number; written_at: number };

/**
 * A change of what a bucket has, which is not yet added to the bucket, to its hour `hour` and to the UTC day of it. Only
 * PostgreSQL has such rows, for about a second; whoever reads the others adds these.
 */
export type UsageChangeRow = Omit<UsageHourRow, 'bandwidth'> & {
  id: string;
  /** How many more files the bucket has. */
  files: number;
  /** How many more bytes `kept_day` has of the files that still exist. */
  kept: number;
  kept_day: number;
  /** The bytes of files that were deleted. */
  removed: number;
};

/**
 * What a bucket has sent and cost, by which lists of buckets are ordered. Those of a month that is over count as 0. What is
 * charged is in micro-USD.
 */
export type BucketStatsRow = {
  bucket_id: string;
  /** The start of the UTC month of `bandwidth`, in bytes. */
  month: number;
  bandwidth: number;
  /** The start of the UTC month of `spend`. */
  spend_month: number;
  spend: number;
};

/** What the buckets of an account store, and have sent in the UTC month that starts at `month`, in bytes. */
export type AccountStatsRow = { user_id: string; stored: number; month: number; bandwidth: number };

/**
 * One of the files of a bucket that were requested most on a UTC day: how often, and the bytes that were sent of it.
 * `missed` is how many requests at most are not among them.
 */
export type FileRequestsRow = {
  bucket_id: string;
  day: number;
  file_id: string;
  requests: number;
  bytes: number;
  missed: number;
};

declare module '../../platform/db/tables.ts' {
  /** The tables of usage, by their names. */
  interface Tables {
    usage_hours: UsageHourRow;
    usage_days: UsageDayRow;
    file_bandwidth: FileDayRow;
    file_growth: FileDayRow;
    file_requests: FileRequestsRow;
    usage_totals: UsageTotalRow;
    usage_flushes: UsageFlushRow;
    usage_changes: UsageChangeRow;
    bucket_stats: BucketStatsRow;
    account_stats: AccountStatsRow;
  }
}

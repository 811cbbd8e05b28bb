/**
 * The usage of a bucket in one UTC hour, which is the unit of billing. `hour` is the start of the
 * hour.
 */
export type UsageHourRow = {
  bucket_id: string;
  hour: number;
  /** The bytes sent, and the bytes of completed uploads. */
  bandwidth: number;
  uploaded: number;
  /** The stored bytes × milliseconds: the whole multiples of a GiB, and the remainder. */
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
};

/** The bytes of a file that were sent on one UTC day, or the bytes by which the file grew. */
export type FileDayRow = { file_id: string; day: number; bytes: number };

/** The time until which the storage of a bucket has been metered. */
export type BucketMeterRow = { bucket_id: string; metered_at: number };

/** The changes of all buckets together on a past day. */
export type UsageTotalRow = { day: number; stored: number; bandwidth: number };

/** The tables of usage, by their names. */
export type UsageTables = {
  usage_hours: UsageHourRow;
  usage_days: UsageDayRow;
  file_bandwidth: FileDayRow;
  file_growth: FileDayRow;
  bucket_meters: BucketMeterRow;
  usage_totals: UsageTotalRow;
};

/** What one bucket used in one hour of UTC; `hour` is its start. The unit of billing. */
export type UsageHourRow = {
  bucket_id: string;
  hour: number;
  /** Bytes sent, and bytes of completed uploads. */
  bandwidth: number;
  uploaded: number;
  /** Bytes × milliseconds stored: this times a GiB, and this besides. */
  stored_gib_ms: number;
  stored_byte_ms: number;
};

/** What happened to one bucket on one day of UTC; day 0 holds all that is too old to be charted. */
export type UsageDayRow = {
  bucket_id: string;
  day: number;
  bandwidth: number;
  uploaded: number;
  /** How many bytes more are stored at its end than at its beginning. */
  stored: number;
  /** The same for those files alone that still exist. */
  kept: number;
  /** Bytes of the files that were deleted on it. */
  removed: number;
};

/** Bytes sent of one file, and bytes by which what is stored of it grew, on one day of UTC. */
export type FileDayRow = { file_id: string; day: number; bytes: number };

/** Until when what a bucket stores has been metered. */
export type BucketMeterRow = { bucket_id: string; metered_at: number };

/** What changed over all buckets on a day that is over. */
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

/** More would take several minutes to write, and 8 GiB for a million. */
const MAX_OBJECTS = 200_000;

/** How much one seeded server has. Only the number of files is chosen; the rest follows from it. */
export type ScaleSize = {
  /** Files in the one big bucket. Every other bucket has one file. */
  files: number;
  /** How many of them have an object on the disk. */
  objects: number;
  /** Accounts with a bucket each, and how many of these buckets are used in the hour to charge. */
  accounts: number;
  activeBuckets: number;
  auditEntries: number;
  finishedJobs: number;
  /** Days of files and of buckets that are old enough to be rolled up. */
  oldDays: number;
};

/** Returns the sizes of a server whose biggest bucket has `files` files. */
export function sizeOf(files: number): ScaleSize {
  const accounts = Math.max(10, Math.floor(files / 10));
  return {
    files,
    objects: Math.min(files, MAX_OBJECTS),
    accounts,
    activeBuckets: Math.ceil(accounts / 10),
    auditEntries: files,
    finishedJobs: Math.ceil(files / 5),
    oldDays: Math.ceil(files / 5),
  };
}

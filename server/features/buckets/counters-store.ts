import { type RawBuilder, sql } from 'kysely';

/** Selects the sum of a column over the changes of a bucket, or of an account, that are not yet added to its counters. */
const unfolded = (column: string, condition: RawBuilder<unknown>) => sql<number>`
  (select coalesce(sum(${sql.ref(`usage_changes.${column}`)}), 0) from usage_changes where ${condition})`;

const ofBucket = sql`usage_changes.bucket_id = buckets.id`;

/** Selects the bytes of a row of `buckets` with what is not yet added to it, as any other reader must. */
export const bucketBytes = sql<number>`(buckets.usage + ${unfolded('stored_change', ofBucket)})`;

/** Selects the files of a row of `buckets` in the same way. */
export const bucketFiles = sql<number>`(buckets.total_uploads + ${unfolded('files', ofBucket)})`;

/** Both as the columns that they replace: of two columns of one name, the last one is returned. */
export const bucketCounters = [bucketBytes.as('usage'), bucketFiles.as('total_uploads')] as const;

/** Selects the bytes of an account's buckets that are not yet in `account_totals`. */
export const unfoldedBytes = (userId: string) =>
  unfolded('stored_change', sql`usage_changes.user_id = ${userId}`);

/** Selects their files in the same way. */
export const unfoldedFiles = (userId: string) =>
  unfolded('files', sql`usage_changes.user_id = ${userId}`);

import { sql } from 'kysely';
import { ACCESSES, FILE_TYPES } from '../../../contract/schemas/files.ts';
import type { Executor } from '../../../platform/db/port.ts';

/** A bucket with the ids of its newest files of each type and access, in no order. */
export type BucketWithNewest = { id: string; name: string; fileIds: string[] };

/**
 * Returns a user's newest buckets with the newest files of each type and access. Their index is in that order, so that
 * the work depends on the number of buckets only.
 */
export async function newestFilesOfBuckets(
  db: Executor,
  userId: string,
  { buckets, files }: { buckets: number; files: number },
): Promise<BucketWithNewest[]> {
  const parts = FILE_TYPES.flatMap((type) =>
    ACCESSES.map(
      (access) => sql`coalesce((select string_agg(part.id, ',') from (
        select files.id from files
        where files.bucket_id = buckets.id and files.superseded_at is null
          and files.file_type = ${type} and files.access = ${access}
        order by files.id desc limit ${files}
      ) as part), '')`,
    ),
  );
  const rows = await db
    .selectFrom('buckets')
    .select(['id', 'name', sql<string>`${sql.join(parts, sql` || ',' || `)}`.as('file_ids')])
    .where('user_id', '=', userId)
    .where('status', '!=', 'deleting')
    .orderBy('id', 'desc')
    .limit(buckets)
    .execute();
  return rows.map(({ id, name, file_ids }) => ({
    ...{ id, name },
    fileIds: file_ids.split(',').filter(Boolean),
  }));
}

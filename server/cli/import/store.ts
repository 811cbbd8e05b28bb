import type { Executor } from '../../platform/db/port.ts';

/** Returns a bucket by its id, whoever owns it. */
export const bucketById = (db: Executor, id: string) =>
  db
    .selectFrom('buckets')
    .select(['id', 'user_id', 'key_version'])
    .where('id', '=', id)
    .executeTakeFirst();

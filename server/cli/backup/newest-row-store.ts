import type { Executor } from '../../platform/db/port.ts';

/** Returns the time of the newest row that a running server writes regularly; null without any. */
export async function newestRowAt(db: Executor): Promise<number | null> {
  const newest = (table: 'files' | 'audit_log') =>
    db.selectFrom(table).select('created_at as at').orderBy('id', 'desc').limit(1);
  const rows = await Promise.all([
    newest('files').executeTakeFirst(),
    newest('audit_log').executeTakeFirst(),
    db.selectFrom('trusted_time').select('trusted_at as at').executeTakeFirst(),
  ]);
  const times = rows.flatMap((row) => (row ? [row.at] : []));
  return times.length > 0 ? Math.max(...times) : null;
}

/** Returns how many accounts, buckets and files there are. */
export async function countRows(
  db: Executor,
): Promise<Record<'users' | 'buckets' | 'files', number>> {
  const count = async (table: 'users' | 'buckets' | 'files') =>
    (
      await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count;
  return {
    users: await count('users'),
    buckets: await count('buckets'),
    files: await count('files'),
  };
}

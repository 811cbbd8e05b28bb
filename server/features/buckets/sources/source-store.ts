import { type SqlBool, sql } from 'kysely';
import { runStatements, type Statement } from '../../../platform/db/batch.ts';
import { deleteRows } from '../../../platform/db/delete-rows.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import { type Executor, isOnPostgres, type Tx } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import type { BucketSourceRow, SourceExclusionRow } from './tables.ts';

/**
 * How many paths of a bucket are excluded at most. Deletions of what is not there could otherwise fill the database.
 * Then nothing is fetched any more, as it could be what was deleted.
 */
export const MAX_EXCLUDED_PATHS = 100_000;

/** Returns the source of a bucket; undefined where it has none. */
export async function findSource(
  db: Executor,
  bucketId: string,
): Promise<BucketSourceRow | undefined> {
  return (await find(db, { bucketId })).rows[0];
}

const find = prepareStatement((db, { bucketId }: { bucketId: string }) =>
  db.selectFrom('bucket_sources').selectAll().where('bucket_id', '=', bucketId).$call(inlineRead),
);

export type NewSource = Omit<BucketSourceRow, 'excluded' | 'generation' | 'error'>;

/** Stores the source of a bucket in place of the one before, whose exclusions stay. */
export async function setSource(tx: Tx, row: NewSource): Promise<void> {
  const { bucket_id: _, ...columns } = row;
  await tx
    .insertInto('bucket_sources')
    .values({ ...row, ...(await findLeft(tx, row.bucket_id)), error: null })
    .onConflict((conflict) => conflict.column('bucket_id').doUpdateSet({ ...columns, error: null }))
    .execute();
}

/** Returns the generation of the exclusions that an earlier source of a bucket has left, and how many they are. */
async function findLeft(
  tx: Tx,
  bucketId: string,
): Promise<Pick<BucketSourceRow, 'generation' | 'excluded'>> {
  const last = await tx
    .selectFrom('source_exclusions')
    .select(({ fn }) => ['generation', fn.countAll<number>().as('count')])
    .where('bucket_id', '=', bucketId)
    .groupBy('generation')
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { generation: last?.generation ?? 0, excluded: Number(last?.count ?? 0) };
}

/** Deletes the source of a bucket with its credentials. What it has excluded stays. */
export async function deleteSource(tx: Tx, bucketId: string): Promise<void> {
  await tx.deleteFrom('bucket_sources').where('bucket_id', '=', bucketId).execute();
}

/** Stores why files can't be fetched from a source; null where they can. */
export async function setSourceError(
  db: Executor,
  id: string,
  error: string | null,
): Promise<void> {
  await db.updateTable('bucket_sources').set({ error }).where('id', '=', id).execute();
}

/** Whether a path of a bucket is excluded. */
export async function isExcluded(db: Executor, bucketId: string, path: string): Promise<boolean> {
  return (await findExclusion(db, { bucket_id: bucketId, path })).rows.length > 0;
}

type Exclusion = Omit<SourceExclusionRow, 'generation'>;

const findExclusion = prepareStatement((db, { bucket_id, path }: Exclusion) =>
  db
    .selectFrom('source_exclusions as exclusion')
    .innerJoin('bucket_sources as source', (join) =>
      join
        .onRef('source.bucket_id', '=', 'exclusion.bucket_id')
        .onRef('source.generation', '=', 'exclusion.generation'),
    )
    .select('exclusion.path')
    .where('exclusion.bucket_id', '=', bucket_id)
    .where('exclusion.path', '=', path)
    .$call(inlineRead),
);

/** Whether a path is excluded from the source of the query. */
const isAmongExclusions = ({ bucket_id, path }: Exclusion) => sql<SqlBool>`exists (
  select 1 from source_exclusions as exclusion
  where exclusion.bucket_id = ${bucket_id} and exclusion.path = ${path}
    and exclusion.generation = bucket_sources.generation
)`;

/**
 * Excludes those of some paths that the source of a bucket could be fetched to, as long as there are not too many. What is
 * deleted outside of its folder is none of the source's, and would only use them up.
 */
export async function excludePaths(tx: Tx, bucketId: string, paths: string[]): Promise<void> {
  const statements = paths.flatMap((path): Statement[] => {
    const exclusion = { bucket_id: bucketId, path };
    return [
      { query: countExclusion.query(tx, exclusion) },
      { query: insertExclusion.query(tx, exclusion) },
    ];
  });
  await runStatements(tx, statements);
}

const isInFolder = (path: string) => sql`substr(cast(${path} as text), 1, length(folder)) = folder`;

/** It locks the source too, so that what is being fetched is stored either before or not at all. */
const countExclusion = prepareStatement(
  (_db, exclusion: Exclusion) => sql`
    update bucket_sources set excluded = excluded + 1
    where bucket_id = ${exclusion.bucket_id} and ${isInFolder(exclusion.path)}
      and not ${isAmongExclusions(exclusion)}`,
);

/** What was cleared may still be there. */
const insertExclusion = prepareStatement(
  (_db, { bucket_id, path }: Exclusion) => sql`
    insert into source_exclusions (bucket_id, path, generation)
    select bucket_id, cast(${path} as text), generation from bucket_sources
    where bucket_id = ${bucket_id} and ${isInFolder(path)}
      and excluded <= ${sql.lit(MAX_EXCLUDED_PATHS)}
    on conflict (bucket_id, path) do update set generation = excluded.generation`,
);

/**
 * Returns the statements that let a file come from a source: this one is still set, and nobody has excluded the path. The
 * first one waits for those who do, and the second one sees what they have done.
 * @param otherwise returns what to throw
 */
export const fetchGuard = (
  db: Executor,
  { id, bucket_id, path }: Pick<BucketSourceRow, 'id' | 'bucket_id'> & { path: string },
  otherwise: () => unknown,
): Statement[] => [
  ...(isOnPostgres(db) ? [{ query: lockSource.query(db, { id }) }] : []),
  { query: findFetchable.query(db, { id, bucket_id, path }), expect: 1, otherwise },
];

const lockSource = prepareStatement((db, { id }: Pick<BucketSourceRow, 'id'>) =>
  db.selectFrom('bucket_sources').select('id').where('id', '=', id).forUpdate(),
);

const findFetchable = prepareStatement(
  (_db, { id, ...exclusion }: { id: string } & Exclusion) => sql`
    select id from bucket_sources
    where id = ${id} and excluded < ${sql.lit(MAX_EXCLUDED_PATHS)}
      and not ${isAmongExclusions(exclusion)}`,
);

/** Lets all paths be fetched that are excluded from a bucket. What is excluded after that stays so. */
export async function clearExclusions(tx: Tx, bucketId: string): Promise<void> {
  await tx
    .updateTable('bucket_sources')
    .set(({ eb }) => ({ generation: eb('generation', '+', 1), excluded: 0, error: null }))
    .where('bucket_id', '=', bucketId)
    .execute();
}

/** Deletes the exclusions of a bucket that were cleared, in slices. */
export async function deleteCleared(db: Executor, bucketId: string): Promise<void> {
  const source = await findSource(db, bucketId);
  if (!source) return;
  const where = sql`bucket_id = ${bucketId} and generation < ${source.generation}`;
  await deleteRows(db, 'source_exclusions', { where, orderBy: sql`bucket_id, path` });
}

/** Deletes the exclusions of a bucket, in slices. */
export async function deleteExclusions(
  db: Executor,
  bucketId: string,
  signal?: AbortSignal,
): Promise<void> {
  const ofBucket = { where: sql`bucket_id = ${bucketId}`, orderBy: sql`bucket_id, path` };
  await deleteRows(db, 'source_exclusions', ofBucket, signal);
}

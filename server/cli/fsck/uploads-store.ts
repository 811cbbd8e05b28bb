import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';
import { PAGE_SIZE, paged } from './store.ts';

/** An object of an unfinished upload; `size` is null where the row has none. */
export type Piece = { upload: string; key: string; size: number | null };

/**
 * Yields the objects of unfinished uploads of both kinds. Those of a finished upload belong to its
 * file.
 */
export async function* uploadedPieces(db: Executor, now: number): AsyncGenerator<Piece> {
  yield* paged(
    (after) =>
      db
        .selectFrom('upload_chunks')
        .innerJoin('uploads', 'uploads.id', 'upload_chunks.upload_id')
        .select(['upload_id as upload', 'object_key as key', 'size'])
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('object_key', '>', after)
        .orderBy('object_key')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.key,
  );
  yield* paged(
    (after) =>
      db
        .selectFrom('tus_parts')
        .innerJoin('tus_uploads', 'tus_uploads.id', 'tus_parts.upload_id')
        .select(['upload_id as upload', 'object_key as key', 'size'])
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('object_key', '>', after)
        .orderBy('object_key')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.key,
  );
  yield* paged<Piece>(
    (after) =>
      db
        .selectFrom('uploads')
        .select(['id as upload', 'thumbnail as key', sql<null>`null`.as('size')])
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('thumbnail', '>', after)
        .orderBy('thumbnail')
        .limit(PAGE_SIZE)
        .$castTo<Piece>()
        .execute(),
    (row) => row.key,
  );
}

export async function isUnfinished(db: Executor, id: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('uploads')
    .select('id')
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .where('expires_at', '>', now)
    .unionAll(
      db
        .selectFrom('tus_uploads')
        .select('id')
        .where('id', '=', id)
        .where('file_id', 'is', null)
        .where('expires_at', '>', now),
    )
    .executeTakeFirst();
  return row !== undefined;
}

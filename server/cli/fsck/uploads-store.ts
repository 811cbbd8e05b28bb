import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';
import { PAGE, paged } from './store.ts';

/** An object of an unfinished upload; `size` null where none is noted. */
export type Piece = { upload: string; key: string; size: number | null };

/** Of both kinds of uploads. A finished upload's objects are its file's, and go with them. */
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
        .limit(PAGE)
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
        .limit(PAGE)
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
        .limit(PAGE)
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

import type { Executor } from '../../platform/db/port.ts';
import { PAGE_SIZE, paged } from './store.ts';

/** An object of an unfinished upload; `size` is null where the row has none. */
export type Piece = { upload: string; key: string; size: number | null };

/**
 * Yields the objects of unfinished uploads of both kinds, upload by upload. Those of a finished upload belong
 * to its file.
 */
export async function* uploadedPieces(db: Executor, now: number): AsyncGenerator<Piece> {
  for await (const { id, thumbnail } of unfinishedUploads(db, now)) {
    if (thumbnail) yield { upload: id, key: thumbnail, size: null };
    yield* await db
      .selectFrom('upload_chunks')
      .select(['upload_id as upload', 'object_key as key', 'size'])
      .where('upload_id', '=', id)
      .execute();
  }
  for await (const { id } of unfinishedTusUploads(db, now)) {
    yield* await db
      .selectFrom('tus_parts')
      .select(['upload_id as upload', 'object_key as key', 'size'])
      .where('upload_id', '=', id)
      .execute();
  }
}

const unfinishedUploads = (db: Executor, now: number) =>
  paged(
    (after) =>
      db
        .selectFrom('uploads')
        .select(['id', 'thumbnail'])
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

const unfinishedTusUploads = (db: Executor, now: number) =>
  paged(
    (after) =>
      db
        .selectFrom('tus_uploads')
        .select('id')
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

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

import type { Executor } from '../../platform/db/port.ts';
import { PAGE_SIZE, paged } from './store.ts';

/** An object of an unfinished upload; `size` is null where the row has none. */
export type Piece = { upload: string; key: string; size: number | null };

/**
 * Yields the objects of unfinished uploads, upload by upload. Those of a finished upload belong to its file.
 */
export async function* uploadedPieces(db: Executor, now: number): AsyncGenerator<Piece> {
  const uploads = paged(
    (after) =>
      db
        .selectFrom('upload_sessions')
        .select(['id', 'thumbnail'])
        .where('file_id', 'is', null)
        .where('expires_at', '>', now)
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );
  for await (const { id, thumbnail } of uploads) {
    if (thumbnail) yield { upload: id, key: thumbnail, size: null };
    yield* await db
      .selectFrom('upload_parts')
      .select(['upload_id as upload', 'object_key as key', 'size'])
      .where('upload_id', '=', id)
      .execute();
  }
}

export async function isUnfinished(db: Executor, id: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('upload_sessions')
    .select('id')
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

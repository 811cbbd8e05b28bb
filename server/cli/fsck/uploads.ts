import type { Clock } from '../../platform/clock.ts';
import type { CopySources, Finding } from './finding.ts';
import * as store from './store.ts';

/** Pieces of unfinished uploads that were acknowledged and are not there. */
export async function* checkUploads(
  { database, objects }: CopySources,
  clock: Clock,
): AsyncGenerator<Finding> {
  const { db } = database;
  for await (const piece of store.uploadedPieces(db, clock())) {
    const stored = await objects.open(piece.key);
    const isWhole = piece.size === null ? stored !== null : stored?.size === piece.size;
    if (isWhole || !(await store.isUnfinished(db, piece.upload, clock()))) continue;
    const text = stored
      ? `${stored.size} bytes are stored for the upload ${piece.upload}, the database has ${piece.size}`
      : `missing object of the upload ${piece.upload}`;
    yield { kind: 'missing', subject: piece.key, text };
  }
}

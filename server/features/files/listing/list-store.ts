import {
  defaultOrder,
  type FileSort,
  isPosition,
  parsePathPosition,
  parseSizePosition,
} from '../../../contract/files/file-order.ts';
import { FIRST_PAGE, otherCursor, rowsOfPage } from '../../../platform/db/listing.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { SCANNED_ROWS } from '../../../platform/db/search.ts';
import { type CurrentFile, filesAt, filesByIds } from '../store.ts';
import { type FileFilters, unindexedConditions } from './filters-store.ts';
import { datePositions, pathPositions, type Slice, sizePositions } from './positions-store.ts';

/**
 * Returns a page of a bucket's files, and the position behind which the next page begins. What no index narrows is
 * looked for in SCANNED_ROWS files, so that a page of a search can have few files or none before the last one.
 * Throws bad-request for a cursor of another order.
 */
export async function listFiles(
  db: Executor,
  bucketId: string,
  filters: FileFilters,
): Promise<{ rows: CurrentFile[]; next: string | null }> {
  const sort = filters.sort || 'date';
  const order = filters.order || defaultOrder(sort);
  const limit = rowsOfPage(filters);
  const after = filters.cursor && filters.cursor !== FIRST_PAGE ? filters.cursor : null;
  if (after !== null && !isPosition(sort, after)) throw otherCursor();
  const conditions = unindexedConditions(db, sort, filters);
  const read = (part: Pick<Slice, 'last' | 'conditions' | 'limit' | 'offset'>) =>
    POSITIONS[sort](db, bucketId, { filters, order, after, ...part });
  const whole = { last: null, conditions: [] };
  const [last = null] =
    conditions.length > 0 ? await read({ ...whole, limit: 1, offset: SCANNED_ROWS - 1 }) : [];
  const found = await read({ last, conditions, limit, offset: 0 });
  const page = found.slice(0, limit - 1);
  return {
    rows: await filesOf(db, bucketId, sort, page),
    next: found.length === limit ? (page.at(-1) ?? null) : last,
  };
}

const POSITIONS = { date: datePositions, name: pathPositions, size: sizePositions };

/** Returns the files at some positions, in their order. One that was deleted since is left out. */
async function filesOf(
  db: Executor,
  bucketId: string,
  sort: FileSort,
  positions: string[],
): Promise<CurrentFile[]> {
  if (sort === 'name') {
    const paths = positions.map(parsePathPosition);
    const rows = new Map((await filesAt(db, bucketId, paths)).map((row) => [row.path, row]));
    return paths.flatMap((path) => rows.get(path) ?? []);
  }
  const ids = sort === 'size' ? positions.map((one) => parseSizePosition(one).id) : positions;
  const rows = new Map((await filesByIds(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

import { sql } from 'kysely';
import {
  parsePathPosition,
  parseSizePosition,
  pathPosition,
  type SortOrder,
  sizePosition,
} from '../../../contract/files/file-order.ts';
import { ACCESSES, FILE_TYPES } from '../../../contract/schemas/files.ts';
import { idsOfDays } from '../../../platform/db/listing.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { BEHIND_ALL_IDS } from '../../../platform/ids.ts';
import { type Condition, type FileFilters, isBelow } from './filters-store.ts';

/** Which positions of an order are read. */
export type Slice = {
  filters: FileFilters;
  order: SortOrder;
  /** The position behind which the slice begins; null for the first. */
  after: string | null;
  /** The last position that is examined; null for all. */
  last: string | null;
  /** What else must be true of a file. */
  conditions: Condition[];
  limit: number;
  offset: number;
};

/** Returns positions by date. */
export async function datePositions(
  db: Executor,
  bucketId: string,
  slice: Slice,
): Promise<string[]> {
  const { filters, order, conditions, limit, offset } = slice;
  const values = { bucketId, ...idsBetween(slice), limit, offset, most: limit + offset };
  const rows =
    conditions.length > 0
      ? await idsByDate(db, values, slice).execute()
      : (await preparedByDate(filters, order)(db, values)).rows;
  return rows.map(({ id }) => id);
}

/** Returns the first id of a slice by date, and one behind its last. */
function idsBetween({ filters, order, after, last }: Slice): { first: string; end: string } {
  const days = idsOfDays(filters);
  const next = (id: string | null) => id && `${id}0`;
  const [from, to] = order === 'asc' ? [next(after), next(last)] : [last, after];
  const [first = ''] = [days.first ?? '', from ?? ''].sort().reverse();
  const [end = BEHIND_ALL_IDS] = [days.end ?? BEHIND_ALL_IDS, to ?? BEHIND_ALL_IDS].sort();
  return { first, end };
}

type DateValues = Record<'bucketId' | 'first' | 'end', string> &
  Record<'limit' | 'offset' | 'most', number>;

/**
 * Returns the query of ids by date. The files of each type and access are read apart and merged: so one index, by type
 * and access, serves every filter, where an index for each filter would make every upload write three more.
 */
function idsByDate(
  db: Executor,
  { bucketId, first, end, limit, offset, most }: DateValues,
  { filters, order, conditions }: Pick<Slice, 'filters' | 'order' | 'conditions'>,
) {
  const types = filters.file_type ? [filters.file_type] : FILE_TYPES;
  const accesses = filters.access ? [filters.access] : ACCESSES;
  const parts = types.flatMap((type) =>
    accesses.map((access) => {
      const files = db
        .selectFrom('files')
        .select('id')
        .where('bucket_id', '=', bucketId)
        .where('superseded_at', 'is', null)
        .where('file_type', '=', type)
        .where('access', '=', access)
        .where('id', '>=', first)
        .where('id', '<', end)
        .orderBy('id', order)
        .limit(most);
      const narrowed = conditions.reduce((all, condition) => all.where(condition), files);
      // SQLite accepts a limit in a part of a union only where the part is a subquery.
      return db.selectFrom(narrowed.as('part')).select('part.id');
    }),
  );
  return parts
    .reduce((all, some) => all.unionAll(some))
    .orderBy('id', order)
    .limit(limit)
    .offset(offset);
}

const byDate = new Map<string, ReturnType<typeof prepareByDate>>();

/** PostgreSQL needs longer to plan ten parts than to read them. */
function preparedByDate(filters: FileFilters, order: SortOrder) {
  const { file_type = '', access = '' } = filters;
  const kind = `${file_type} ${access} ${order}`;
  const prepared = byDate.get(kind) ?? prepareByDate({ file_type, access }, order);
  byDate.set(kind, prepared);
  return prepared;
}

const prepareByDate = (filters: FileFilters, order: SortOrder) =>
  prepareStatement((db, values: DateValues) =>
    idsByDate(db, values, { filters, order, conditions: [] }),
  );

/** Returns positions by path. */
export async function pathPositions(
  db: Executor,
  bucketId: string,
  { filters, order, after, last, conditions, limit, offset }: Slice,
): Promise<string[]> {
  let files = currentFiles(db, bucketId, conditions).select('path').orderBy('path', order);
  const prefix = filters.prefix ?? '';
  if (prefix) files = files.where(isBelow(prefix));
  if (after) files = files.where('path', order === 'asc' ? '>' : '<', parsePathPosition(after));
  if (last) files = files.where('path', order === 'asc' ? '<=' : '>=', parsePathPosition(last));
  const rows = await files.limit(limit).offset(offset).execute();
  return rows.map(({ path }) => pathPosition(path));
}

/** Returns positions by size. */
export async function sizePositions(
  db: Executor,
  bucketId: string,
  { filters, order, after, last, conditions, limit, offset }: Slice,
): Promise<string[]> {
  let files = currentFiles(db, bucketId, conditions)
    .select(['size', 'id'])
    .orderBy('size', order)
    .orderBy('id', order);
  const [before, behind] = order === 'asc' ? ['<=', '>'] : ['>=', '<'];
  const compare = (operator: string, position: string): Condition => {
    const { size, id } = parseSizePosition(position);
    return sql`(size, id) ${sql.raw(operator)} (${size}, ${id})`;
  };
  if (after) files = files.where(compare(behind, after));
  if (last) files = files.where(compare(before, last));
  if (filters.min_size) files = files.where('size', '>=', filters.min_size);
  if (filters.max_size !== undefined) files = files.where('size', '<=', filters.max_size);
  const rows = await files.limit(limit).offset(offset).execute();
  return rows.map(({ size, id }) => sizePosition(size, id));
}

const currentFiles = (db: Executor, bucketId: string, conditions: Condition[]) =>
  conditions.reduce(
    (files, condition) => files.where(condition),
    db
      .selectFrom('files')
      .where('bucket_id', '=', bucketId)
      // The indexes have current files only.
      .where('superseded_at', 'is', null),
  );

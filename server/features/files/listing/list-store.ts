import { type RawBuilder, sql } from 'kysely';
import {
  defaultOrder,
  type FileSort,
  isPosition,
  parsePathPosition,
  parseSizePosition,
  pathPosition,
  type SortOrder,
  sizePosition,
} from '../../../contract/files/file-order.ts';
import { ACCESSES, FILE_TYPES } from '../../../contract/schemas/files.ts';
import type { Access, FileType } from '../../../contract/wire.ts';
import {
  FIRST_PAGE,
  idsOfDays,
  type ListRange,
  otherCursor,
  rowsOfPage,
} from '../../../platform/db/listing.ts';
import { type Executor, isOnPostgres } from '../../../platform/db/port.ts';
import { SCANNED_ROWS } from '../../../platform/db/search.ts';
import { behindFolder } from '../paths/bounds.ts';
import { type CurrentFile, filesAt, filesByIds } from '../store.ts';

import { metadataParts } from './metadata-filter.ts';
import { globPattern, regularExpression, searchWords } from './path-search.ts';

export type FileFilters = ListRange & {
  access?: Access | '';
  file_type?: FileType | '';
  /** Parts of the path or the name, joined by '&'. */
  q?: string;
  /** Texts of the metadata, as `name=value` or `name`, joined by '&'. */
  metadata?: string;
  /** A folder, which ends in '/'. */
  prefix?: string;
  min_size?: number;
  max_size?: number;
  sort?: FileSort | '';
  order?: SortOrder | '';
};

/** Returns whether a list has all files of its bucket. The order and the page don't matter. */
export const isWholeList = (filters: FileFilters): boolean => {
  const { access, file_type, q, metadata, prefix, min_size, max_size, from, to } = filters;
  const texts = [access, file_type, q, metadata, prefix, from, to];
  return !texts.some(Boolean) && min_size === undefined && max_size === undefined;
};

type Condition = RawBuilder<boolean>;

/** Which positions of an order are read. */
type Slice = {
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

/**
 * Returns positions by date. The files of each type and access are read apart and merged: so one index, by type and
 * access, serves every filter, where an index for each filter would make every upload write three more.
 */
export async function datePositions(
  db: Executor,
  bucketId: string,
  { filters, order, after, last, conditions, limit, offset }: Slice,
): Promise<string[]> {
  const types = filters.file_type ? [filters.file_type] : FILE_TYPES;
  const accesses = filters.access ? [filters.access] : ACCESSES;
  const { first, end } = idsOfDays(filters);
  const parts = types.flatMap((type) =>
    accesses.map((access) => {
      let files = db
        .selectFrom('files')
        .select('id')
        .where('bucket_id', '=', bucketId)
        .where('superseded_at', 'is', null)
        .where('file_type', '=', type)
        .where('access', '=', access)
        .orderBy('id', order)
        .limit(limit + offset);
      if (after) files = files.where('id', order === 'asc' ? '>' : '<', after);
      if (last) files = files.where('id', order === 'asc' ? '<=' : '>=', last);
      if (first) files = files.where('id', '>=', first);
      if (end) files = files.where('id', '<', end);
      for (const condition of conditions) files = files.where(condition);
      // SQLite accepts a limit in a part of a union only where the part is a subquery.
      return db.selectFrom(files.as('part')).select('part.id');
    }),
  );
  const rows = await parts
    .reduce((all, some) => all.unionAll(some))
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => id);
}

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

/** Returns the filters that the index of an order doesn't narrow. */
function unindexedConditions(db: Executor, sort: FileSort, filters: FileFilters): Condition[] {
  const isPostgres = isOnPostgres(db);
  const { access, file_type, prefix, min_size, max_size } = filters;
  const { first, end } = idsOfDays(filters);
  const byDate: Condition[] = [
    // A bucket can have more empty folders than a page may read.
    sql<boolean>`file_type <> 'folder'`,
    ...(file_type ? [sql<boolean>`file_type = ${file_type}`] : []),
    ...(access ? [sql<boolean>`access = ${access}`] : []),
    ...(first ? [sql<boolean>`id >= ${first}`] : []),
    ...(end ? [sql<boolean>`id < ${end}`] : []),
  ];
  const bySize: Condition[] = [
    ...(min_size ? [sql<boolean>`size >= ${min_size}`] : []),
    ...(max_size === undefined ? [] : [sql<boolean>`size <= ${max_size}`]),
  ];
  return [
    ...(sort === 'date' ? [] : byDate),
    ...(sort === 'size' ? [] : bySize),
    ...(sort === 'name' || !prefix ? [] : [isBelow(prefix)]),
    ...searchWords(filters.q).map((word) => namesWord(word, isPostgres)),
    ...metadataParts(filters.metadata).map((parts) => hasOneOf(parts, isPostgres)),
  ];
}

/** Returns a condition that is true where the path or the name of a file contains a word in any case. */
function namesWord(word: string, isPostgres: boolean): Condition {
  const toPattern = isPostgres ? regularExpression : globPattern;
  const operator = sql.raw(isPostgres ? '~' : 'glob');
  // A path keeps the normal form in which it was uploaded.
  const forms = [...new Set([word.normalize('NFC'), word.normalize('NFD')])];
  const found = forms.flatMap((form) =>
    ['files.path', 'files.name'].map(
      (column) => sql`${sql.ref(column)} ${operator} ${toPattern(form)}`,
    ),
  );
  return sql<boolean>`(${sql.join(found, sql` or `)})`;
}

/** Returns a condition that is true where the metadata of a file contain one of some parts of its JSON. */
function hasOneOf(parts: string[], isPostgres: boolean): Condition {
  const position = sql.raw(isPostgres ? 'strpos' : 'instr');
  const found = parts.map((part) => sql`${position}(metadata, ${part}) > 0`);
  return sql<boolean>`(${sql.join(found, sql` or `)})`;
}

/** '0' is the character after '/'. */
const isBelow = (prefix: string): Condition =>
  sql`(path >= ${prefix} and path < ${behindFolder(prefix)})`;

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

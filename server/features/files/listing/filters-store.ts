import { type RawBuilder, sql } from 'kysely';
import type { FileSort, SortOrder } from '../../../contract/files/file-order.ts';
import type { Access, FileType } from '../../../contract/wire.ts';
import { idsOfDays, type ListRange } from '../../../platform/db/listing.ts';
import { type Executor, isOnPostgres } from '../../../platform/db/port.ts';
import { behindFolder } from '../paths/bounds.ts';
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

export type Condition = RawBuilder<boolean>;

/** Returns the filters that the index of an order doesn't narrow. */
export function unindexedConditions(
  db: Executor,
  sort: FileSort,
  filters: FileFilters,
): Condition[] {
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

/** Returns a condition that is true of the files in a folder, which ends in '/'. '0' is the character after '/'. */
export const isBelow = (prefix: string): Condition =>
  sql`(path >= ${prefix} and path < ${behindFolder(prefix)})`;

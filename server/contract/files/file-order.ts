/** What files can be sorted by. By name means by path, in the byte order of UTF-8. */
export const FILE_SORTS = ['date', 'name', 'size'] as const;
export type FileSort = (typeof FILE_SORTS)[number];

export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** Returns the order of a list that is told none: the newest, the largest, or the first names. */
export const defaultOrder = (sort: FileSort): SortOrder => (sort === 'name' ? 'asc' : 'desc');

/** The digits of the largest integer that a number holds exactly. */
const SIZE_DIGITS = 16;

/** Returns the position of a size in the order of sizes, where the older of two equal files is first. */
export const sizePosition = (size: number, id: string): string =>
  `${String(size).padStart(SIZE_DIGITS, '0')}-${id}`;

/** Returns the position of a path. No path begins with '/', so it is told apart from the others. */
export const pathPosition = (path: string): string => `/${path}`;

/** Returns the size and the id of a position among sizes. */
export const parseSizePosition = (position: string): { size: number; id: string } => ({
  size: Number(position.slice(0, SIZE_DIGITS)),
  id: position.slice(SIZE_DIGITS + 1),
});

/** Returns the path of a position among paths. */
export const parsePathPosition = (position: string): string => position.slice(1);

const FORMS: Record<FileSort, RegExp> = {
  date: /^[0-9a-z]{26}$/,
  name: /^\/\P{Cc}+$/u,
  size: /^\d{16}-[0-9a-z]{26}$/,
};

/** Whether a cursor is a position in this order. */
export const isPosition = (sort: FileSort, cursor: string): boolean => FORMS[sort].test(cursor);

/** Whether the position `a` comes behind `b` in a list. */
export function isBehind(a: string, b: string, order: SortOrder): boolean {
  const [first, second] = order === 'asc' ? [b, a] : [a, b];
  return compareCodePoints(first, second) < 0;
}

/** Compares two texts as the databases do; JavaScript would put emoji before some letters. */
function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0) return left.length - right.length;
  const other = right[at]?.codePointAt(0);
  return other === undefined ? 1 : (left[at]?.codePointAt(0) ?? 0) - other;
}

import type { SortOrder } from '../files/file-order.ts';

/** What the admin's lists can be sorted by. Without it they have the newest first. */
export const ADMIN_BUCKET_SORTS = ['usage', 'bandwidth', 'spend'] as const;
export type AdminBucketSort = (typeof ADMIN_BUCKET_SORTS)[number];

export const ADMIN_USER_SORTS = ['storage', 'bandwidth', 'spend', 'balance'] as const;
export type AdminUserSort = (typeof ADMIN_USER_SORTS)[number];

/** Returns the order of a list that is told none: the largest first, and who owes most. */
export const defaultOrderOf = (sort: AdminBucketSort | AdminUserSort): SortOrder =>
  sort === 'balance' ? 'asc' : 'desc';

/**
 * Returns whether a cursor is behind another one in a list: whole numbers and an id, separated by dots, or the id alone
 * where nothing sorts the list.
 */
export function isCursorBehind(cursor: string, other: string, order: SortOrder): boolean {
  const [first, second] = order === 'asc' ? [other, cursor] : [cursor, other];
  const [left, right] = [first.split('.'), second.split('.')];
  const at = left.findIndex((part, index) => part !== right[index]);
  const [a = '', b = ''] = [left[at], right[at]];
  return at === left.length - 1 ? a < b : Number(a) < Number(b);
}

import {
  type AdminBucketSort,
  type AdminUserSort,
  defaultOrderOf,
} from '../../../server/contract/admin/list-orders.ts';
import type { SortOrder } from '../../../server/contract/files/file-order.ts';
import { Choice } from '../../ui/menu/choice.tsx';
import { sortingHead } from '../../ui/table/sort-button.tsx';
import type { Head } from '../../ui/table/virtual-table.tsx';

type AnySort = AdminBucketSort | AdminUserSort;

/** How a list is sorted. Without `sort` it has the newest first, and without `order` that of `sort`. */
export type Sorting<Sort extends AnySort> = {
  sort?: Sort | undefined;
  order?: SortOrder | undefined;
};

/** Returns what a click on the head of a column sorts by: its own order, the other one, and then the newest first again. */
export function nextSorting<Sort extends AnySort>(now: Sorting<Sort>, by: Sort): Sorting<Sort> {
  if (now.sort !== by) return { sort: by, order: undefined };
  if (now.order) return { sort: undefined, order: undefined };
  return { sort: by, order: defaultOrderOf(by) === 'asc' ? 'desc' : 'asc' };
}

/** Returns the head of a column that sorts the list. */
export function toSortHead<Sort extends AnySort>(
  head: Head,
  by: Sort,
  now: Sorting<Sort>,
  onSort: (next: Sorting<Sort>) => void,
): Head {
  const order = now.sort === by ? (now.order ?? defaultOrderOf(by)) : undefined;
  return sortingHead(head, { order, isRight: true, onSort: () => onSort(nextSorting(now, by)) });
}

const NEWEST = 'newest';

/** Sorts a list where not all columns are shown. */
export function SortChoice<Sort extends AnySort>({
  options,
  value,
  onSort,
}: {
  /** What each order is called, such as 'Usage'. */
  options: Readonly<Record<Sort, string>>;
  value: Sorting<Sort>;
  onSort: (next: Sorting<Sort>) => void;
}) {
  return (
    <div className="xl:hidden">
      <Choice<Sort | typeof NEWEST>
        label="Sort by"
        options={{ [NEWEST]: 'Newest', ...options } as Record<Sort | typeof NEWEST, string>}
        value={value.sort ?? NEWEST}
        onSelect={(sort) =>
          onSort(sort === NEWEST ? { sort: undefined, order: undefined } : nextSorting(value, sort))
        }
      />
    </div>
  );
}

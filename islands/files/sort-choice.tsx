import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import { defaultOrder, type FileSort } from '../../server/contract/files/file-order.ts';
import { Choice } from '../ui/menu/choice.tsx';
import { SORTS, type Sorting } from './file-filters.tsx';

/** How a list is sorted, and what sorts it otherwise. */
export type SortProps = Sorting & { onSort: (sorting: Sorting) => void };

/** Returns the order after a choice of `sort`: its own, or the other way round where it was chosen before. */
export function nextSorting({ sort: current, order }: Sorting, sort: FileSort): Sorting {
  if (sort !== current) return { sort, order: defaultOrder(sort) };
  return { sort, order: order === 'asc' ? 'desc' : 'asc' };
}

/** Sorts cards, which have no columns: those of a narrow screen, or a `isSmall` one above the grid. */
export function SortChoice({
  isSmall = false,
  onSort,
  ...sorting
}: SortProps & { isSmall?: boolean }) {
  return (
    <div className={isSmall ? '[&>button]:btn-sm' : 'md:hidden'}>
      <Choice
        label="Sort by"
        options={SORTS}
        value={sorting.sort}
        onSelect={(sort) => onSort(nextSorting(sorting, sort))}
      />
    </div>
  );
}

/** The head of a column that sorts the list. */
export function SortButton({
  by,
  label,
  onSort,
  ...sorting
}: SortProps & { by: FileSort; label: string }) {
  const Arrow = sorting.order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      className="group relative cursor-pointer rounded-sm hover:text-base-content max-md:invisible"
      onClick={() => onSort(nextSorting(sorting, by))}
    >
      {label}
      {/* It is beside the text, which stays where it is. */}
      <Arrow
        size={12}
        aria-hidden
        className={`absolute top-0.5 ${by === 'name' ? 'left-full ml-1' : 'right-full mr-1'} ${by === sorting.sort ? '' : 'opacity-0 group-hover:opacity-50'}`}
      />
    </button>
  );
}

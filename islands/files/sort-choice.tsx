import ArrowDownUp from 'lucide-react/icons/arrow-down-up';
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

/**
 * Sorts cards, which have no columns: those of a narrow screen, or a `isSmall` one above the grid.
 * @param props.isIcon whether it is an icon on a phone
 */
export function SortChoice({
  isSmall = false,
  isIcon = false,
  onSort,
  ...sorting
}: SortProps & { isSmall?: boolean; isIcon?: boolean }) {
  return (
    <div className={isSmall ? '[&>button]:btn-sm' : 'md:hidden'}>
      <Choice
        label="Sort by"
        options={SORTS}
        value={sorting.sort}
        icon={isIcon && <ArrowDownUp size={16} aria-hidden />}
        onSelect={(sort) => onSort(nextSorting(sorting, sort))}
      />
    </div>
  );
}

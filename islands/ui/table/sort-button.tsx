import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import type { Head } from './virtual-table.tsx';

/**
 * `order` is how the list is sorted by a column; undefined where it is not. `isRight` says whether the column is aligned to
 * the right.
 */
type Sorting = { order: 'asc' | 'desc' | undefined; isRight: boolean; onSort: () => void };

/** Returns a head that sorts the list by its column. */
export const sortingHead = (head: Head, sorting: Sorting): Head => ({
  ...head,
  button: <SortButton label={head.label} {...sorting} />,
  sorted: sorting.order && (sorting.order === 'asc' ? 'ascending' : 'descending'),
});

function SortButton({ label, order, isRight, onSort }: Sorting & { label: string }) {
  const Arrow = order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      className="group relative cursor-pointer rounded-sm hover:text-base-content max-md:invisible"
      onClick={onSort}
    >
      {label}
      {/* It is beside the text, which stays where it is. */}
      <Arrow
        size={12}
        aria-hidden
        className={`absolute top-0.5 ${isRight ? 'right-full mr-1' : 'left-full ml-1'} ${order ? '' : 'opacity-0 group-hover:opacity-50'}`}
      />
    </button>
  );
}

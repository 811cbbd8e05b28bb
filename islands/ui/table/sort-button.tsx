import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';

/**
 * The head of a column that sorts the list.
 * @param props.order how the list is sorted by this column; undefined where it is not
 * @param props.isRight whether the column is aligned to the right
 */
export function SortButton({
  label,
  order,
  isRight,
  onSort,
}: {
  label: string;
  order: 'asc' | 'desc' | undefined;
  isRight: boolean;
  onSort: () => void;
}) {
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

import type { RowProps } from '../rows/file-row.tsx';

/** The checkbox of a file. With Shift it selects all files up to this one. */
export const SelectBox = ({
  file,
  isStop,
  isSelected,
  onSelect,
  className,
}: Pick<RowProps, 'file' | 'isStop' | 'isSelected' | 'onSelect'> & { className: string }) => (
  <input
    type="checkbox"
    tabIndex={isStop ? undefined : -1}
    aria-label={`Select ${file.name}`}
    className={`checkbox checkbox-sm ${className}`}
    checked={isSelected}
    onChange={({ nativeEvent }) =>
      onSelect(file.id, nativeEvent instanceof PointerEvent && nativeEvent.shiftKey)
    }
  />
);

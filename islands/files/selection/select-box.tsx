type Props = {
  /** What is selected, and its name for screen readers. */
  file: { id: string; name: string };
  isStop: boolean;
  isSelected: boolean;
  onSelect: (id: string, isRange: boolean) => void;
  className: string;
};

/** The checkbox of a file. With Shift it selects all files up to this one. */
export const SelectBox = ({ file, isStop, isSelected, onSelect, className }: Props) => (
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

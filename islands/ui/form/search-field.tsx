import Search from 'lucide-react/icons/search';
import { SHORTCUTS } from '../../../server/contract/shortcuts.ts';
import { Spinner } from '../spinner.tsx';

/** A field that narrows a list, reached by '/'. */
export function SearchField({
  label,
  placeholder,
  maxLength,
  value,
  isLoading,
  onValue,
}: {
  label: string;
  placeholder: string;
  maxLength: number;
  value: string;
  isLoading: boolean;
  onValue: (value: string) => void;
}) {
  return (
    <label className="input w-full sm:w-auto sm:max-w-80 sm:grow sm:basis-56">
      <Search size={16} aria-hidden className="shrink-0 text-quiet" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        data-shortcut={SHORTCUTS.search.keys}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
      {isLoading ? (
        <Spinner />
      ) : (
        <span aria-hidden="true" className="key max-sm:hidden pointer-coarse:hidden">
          {SHORTCUTS.search.keys}
        </span>
      )}
    </label>
  );
}

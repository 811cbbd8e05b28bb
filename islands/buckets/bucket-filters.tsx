import Search from 'lucide-react/icons/search';
import { BUCKET_NAME_MAX } from '../../server/contract/limits.ts';
import { SHORTCUTS } from '../../server/contract/shortcuts.ts';
import { DateRange } from '../ui/date-range.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { ListView } from './list-view.ts';
import { useSearchText } from './use-search-text.ts';

/** Which buckets are listed: by words of their names, and by the days they were made on. */
export function BucketFilters({
  view,
  isLoading,
  onChange,
}: {
  view: ListView;
  isLoading: boolean;
  onChange: (part: Partial<ListView>) => void;
}) {
  const [text, setText] = useSearchText(view.name, (name) => onChange({ name }));
  return (
    <search className="mt-6 flex flex-wrap items-center gap-2">
      <label className="input w-full sm:w-80">
        <Search size={16} aria-hidden className="shrink-0 text-quiet" />
        <input
          type="search"
          aria-label="Search buckets"
          placeholder="Search by name"
          data-shortcut={SHORTCUTS.search.keys}
          maxLength={BUCKET_NAME_MAX}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isLoading ? (
          <Spinner />
        ) : (
          <span aria-hidden="true" className="key pointer-coarse:hidden">
            {SHORTCUTS.search.keys}
          </span>
        )}
      </label>
      <DateRange
        className="w-full sm:w-72"
        value={view.range}
        onValue={(range) => onChange({ range })}
      />
    </search>
  );
}

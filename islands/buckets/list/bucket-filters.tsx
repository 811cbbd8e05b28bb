import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { DateRange } from '../../ui/date/date-range.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
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
      <SearchField
        label="Search buckets"
        placeholder="Search by name"
        maxLength={BUCKET_NAME_MAX}
        value={text}
        isLoading={isLoading}
        onValue={setText}
      />
      <DateRange
        className="w-full sm:w-72"
        value={view.range}
        onValue={(range) => onChange({ range })}
      />
    </search>
  );
}

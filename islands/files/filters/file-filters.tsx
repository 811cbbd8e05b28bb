import { DateRange } from '../../ui/date/date-range.tsx';
import { Toggles } from '../../ui/menu/toggles.tsx';
import { ACCESS, TYPES } from '../labels.ts';
import type { FileView } from './view.ts';

/** Narrows the files: by days in UTC, kind, and who may see them. */
export function FileFilters({
  view,
  onChange,
}: {
  view: FileView;
  onChange: (part: Partial<FileView>) => void;
}) {
  return (
    <search aria-label="Filters" className="mt-6 flex flex-wrap gap-2">
      <DateRange
        className="w-full sm:w-72"
        value={view.range}
        onValue={(range) => onChange({ range })}
      />
      <Toggles
        label="File type"
        options={TYPES}
        value={view.fileType}
        onValue={(fileType) => onChange({ fileType })}
      />
      <Toggles
        label="Access control"
        options={ACCESS}
        value={view.access}
        onValue={(access) => onChange({ access })}
      />
    </search>
  );
}

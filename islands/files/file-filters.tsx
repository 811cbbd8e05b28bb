import type { ReactNode } from 'react';
import type { Access, FileType } from '../../server/contract/wire.ts';
import { DateRange } from '../ui/date/date-range.tsx';
import { type DayRange, readZonedRange } from '../ui/date/day-range.ts';
import { Toggles } from '../ui/menu/choice.tsx';

/** Filters the files by date in the viewer's time zone, type and access control. */
export function FileFilters({
  view,
  onChange,
  children,
}: {
  view: FileView;
  onChange: (part: Partial<FileView>) => void;
  /** What follows the filters. */
  children: ReactNode;
}) {
  return (
    <search aria-label="Filters" className="mt-6 flex flex-wrap gap-2">
      <DateRange
        isLocal
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
      {children}
    </search>
  );
}

/** The filters in the page's URL. */
export type FileView = {
  range: DayRange | null;
  fileType: FileType | undefined;
  access: Access | undefined;
};

const oneOf = <Value extends string>(values: Record<Value, string>, text: string | null) =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : undefined;

/** Reads the filters from a URL. Invalid ones are ignored. */
export const readView = (search: URLSearchParams): FileView => ({
  range: readZonedRange(search),
  fileType: oneOf(TYPES, search.get('file_type')),
  access: oneOf(ACCESS, search.get('access')),
});

/** Returns the parameters of a view for the page's URL and for the call, without those that are unset. */
export const paramsOf = ({ range, fileType, access }: FileView) => ({
  ...range,
  ...(fileType && { file_type: fileType }),
  ...(access && { access }),
});

export const TYPES: Record<FileType, string> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Other',
};
export const ACCESS: Record<Access, string> = { public: 'Public', private: 'Private' };

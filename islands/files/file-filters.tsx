import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import {
  defaultOrder,
  type FileSort,
  type SortOrder,
} from '../../server/contract/files/file-order.ts';
import { FILE_SEARCH_MAX } from '../../server/contract/limits.ts';
import type { Access, FileType } from '../../server/contract/wire.ts';
import { DateRange } from '../ui/date/date-range.tsx';
import { type DayRange, readZonedRange } from '../ui/date/day-range.ts';
import {
  normalizeSearch,
  SearchField,
  toSearchParam,
  useSearchText,
} from '../ui/form/search-field.tsx';
import { Toggles } from '../ui/menu/choice.tsx';
import { FilterPanel } from './filter-panel.tsx';
import { filterLabel } from './metadata/texts.ts';

/**
 * Searches the files by path, and filters them by date in the viewer's time zone, type and access control. On a phone a
 * button shows the filters.
 */
export function FileFilters({
  view,
  isLoading,
  onChange,
  sort,
  children,
}: {
  view: FileView;
  /** Whether the files of a search are being loaded. */
  isLoading: boolean;
  onChange: (part: Partial<FileView>) => void;
  /** The choice of the order, where the list has no columns to choose it by. */
  sort: ReactNode;
  /** What follows the filters. */
  children: ReactNode;
}) {
  const { range, fileType, access, metadata } = view;
  const set = [range, fileType, access, metadata].filter(Boolean).length;
  return (
    <search aria-label="Filters" className="mt-4 flex flex-wrap gap-2">
      <FileSearch text={view.q} isLoading={isLoading} onText={(q) => onChange({ q })} />
      <FilterPanel set={set}>
        <DateRange
          isLocal
          className="w-full sm:w-60"
          value={range}
          onValue={(range) => onChange({ range })}
        />
        <Toggles
          label="File type"
          options={TYPES}
          value={fileType}
          onValue={(fileType) => onChange({ fileType })}
        />
        <Toggles
          label="Access control"
          options={ACCESS}
          value={access}
          onValue={(access) => onChange({ access })}
        />
        {metadata && (
          <button
            type="button"
            className="btn max-w-full"
            aria-label={`Remove the filter ${filterLabel(metadata)}`}
            onClick={() => onChange({ metadata: '' })}
          >
            <span className="truncate">{filterLabel(metadata)}</span>
            <X size={16} aria-hidden />
          </button>
        )}
        {sort}
      </FilterPanel>
      {children}
    </search>
  );
}

/** The field that searches a bucket's files, or those of a folder and of the folders in it. */
export function FileSearch({
  text: searchText,
  isLoading,
  onText,
}: {
  text: string;
  isLoading: boolean;
  onText: (text: string) => void;
}) {
  const [text, setText] = useSearchText(searchText, onText);
  return (
    <SearchField
      label="Search files"
      placeholder="Search"
      maxLength={FILE_SEARCH_MAX}
      value={text}
      isLoading={isLoading}
      className="max-sm:w-28 max-sm:grow"
      onValue={setText}
    />
  );
}

/** How a list is sorted. */
export type Sorting = { sort: FileSort; order: SortOrder };

/** The search, the filters and the order in the page's URL. `sort` is unset in the order that a list has by itself. */
export type FileView = {
  q: string;
  /** The texts of the metadata that files must have, as the call takes them; '' for any. */
  metadata: string;
  sort: FileSort | undefined;
  order: SortOrder | undefined;
  isGrid: boolean;
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
  q: normalizeSearch(search.get('q') ?? ''),
  metadata: search.get('metadata') ?? '',
  sort: oneOf(SORTS, search.get('sort')),
  order: oneOf(ORDERS, search.get('order')),
  isGrid: search.get('view') === 'grid',
});

/** Returns the parameters of a view's filters for the page's URL, without those that are unset. */
export const filterParamsOf = ({ q, metadata, range, fileType, access }: FileView) => ({
  ...(q && { q }),
  ...(metadata && { metadata }),
  ...range,
  ...(fileType && { file_type: fileType }),
  ...(access && { access }),
});

/** Returns the parameters of a view for the page's URL, without those that are unset. */
export const paramsOf = (view: FileView) => ({ ...filterParamsOf(view), ...layoutParamsOf(view) });

/** Returns the parameters that say how files are shown, which other folders and a cleared search keep. */
export const layoutParamsOf = (view: FileView) => ({
  ...sortParamsOf(view),
  ...(view.isGrid && { view: 'grid' }),
});

const sortParamsOf = ({ sort, order }: FileView) => ({
  ...(sort && { sort }),
  ...(order && { order }),
});

/** Returns whether a view lists what is found in a folder and in the folders in it. */
export const isSearch = ({ q, metadata }: FileView): boolean => q !== '' || metadata !== '';

/**
 * Returns the parameters of a view for the call.
 * @param folder the folder that a search is limited to, null for the whole bucket
 */
export const callParamsOf = (view: FileView, folder: string | null) => ({
  ...filterParamsOf(view),
  ...sortParamsOf(view),
  ...(view.q && { q: toSearchParam(view.q) }),
  ...(isSearch(view) && folder && { prefix: folder }),
});

/** Returns how a list is sorted that has the order of `standard` by itself. */
export function sortingOf({ sort, order }: FileView, standard: FileSort): Sorting {
  const by = sort ?? standard;
  return { sort: by, order: order ?? defaultOrder(by) };
}

/** Returns the part of a view for an order, which is unset where a list has it by itself. */
export const toView = ({ sort, order }: Sorting, standard: FileSort) => ({
  sort: sort === standard ? undefined : sort,
  order: order === defaultOrder(sort) ? undefined : order,
});

export const SORTS: Record<FileSort, string> = { name: 'Name', size: 'Size', date: 'Date' };
const ORDERS: Record<SortOrder, string> = { asc: 'Ascending', desc: 'Descending' };

export const TYPES: Record<FileType, string> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Other',
};
export const ACCESS: Record<Access, string> = { public: 'Public', private: 'Private' };

import { useSearchParams } from 'wouter';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/form/button.tsx';
import { EmptyState } from '../ui/states.tsx';
import {
  FileFilters,
  type FileView,
  filterParamsOf,
  paramsOf,
  readView,
  sortingOf,
  toView,
} from './file-filters.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Breadcrumbs } from './folders/breadcrumbs.tsx';
import { FoldersToggle } from './folders/folders-toggle.tsx';
import { ListBody, type ListProps } from './list-body.tsx';
import { ListCount } from './list-count.tsx';
import { SortChoice, type SortProps } from './sort-choice.tsx';
import { useFiles } from './use-files.ts';

const STANDARD = 'date';

/** All files of a bucket, or those that a search finds in a folder, with their filters. */
export function FileList({
  appUrl,
  folder,
  first,
  ...shared
}: ListProps & {
  appUrl: string;
  /** The folder that is searched, null for the whole bucket. */
  folder: string | null;
  first: { page: FilePageWire; query: object };
}) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const inFolder: Record<string, string> = folder === null ? {} : { folder };
  const change = (part: Partial<FileView>) =>
    setParams({ ...inFolder, ...paramsOf({ ...view, ...part }) });
  const list = useFiles(shared.bucketId, { view, folder }, first);
  const isNarrowed = Object.keys(filterParamsOf(view)).length > 0;
  const sorting: SortProps = {
    ...sortingOf(view, STANDARD),
    onSort: (next) => change(toView(next, STANDARD)),
  };
  return (
    <>
      <FileFilters
        view={view}
        isLoading={list.isPlaceholderData && view.q !== ''}
        onChange={change}
        sort={!view.isGrid && <SortChoice {...sorting} />}
      >
        <FoldersToggle
          isOn={folder !== null}
          isGrid={view.isGrid}
          onFolder={shared.onFolder}
          onGrid={(isGrid) => change({ isGrid })}
        />
      </FileFilters>
      <div className="mt-1.5 flex flex-wrap items-center justify-between gap-x-4">
        {folder && (
          <Breadcrumbs
            folder={folder}
            onFolder={shared.onFolder}
            onDropFiles={shared.actions.onDropFiles}
          />
        )}
        <ListCount
          files={list.rows.length}
          total={list.data?.pages[0]?.total ?? null}
          isComplete={!list.hasNextPage}
          isShown={list.rows.length > 0 && !list.isPlaceholderData}
        />
      </div>
      <ListBody
        {...shared}
        sorting={sorting}
        isGrid={view.isGrid}
        list={list}
        isStale={list.isPlaceholderData}
        rows={list.rows}
        listKey={JSON.stringify([folder, filterParamsOf(view)])}
        onVisibleRows={list.onVisibleRows}
        empty={
          isNarrowed ? (
            <EmptyState
              title={MESSAGES.noFiles}
              text={view.q ? 'No file matches this search.' : 'No file matches these filters.'}
            >
              <Button
                onClick={() => setParams({ ...inFolder, ...(view.isGrid && { view: 'grid' }) })}
              >
                {view.q ? 'Clear search' : 'Clear filters'}
              </Button>
            </EmptyState>
          ) : (
            <FirstSteps appUrl={appUrl} bucketId={shared.bucketId} />
          )
        }
      />
    </>
  );
}

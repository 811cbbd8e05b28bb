import { useSearchParams } from 'wouter';
import { ApiError } from '../../runtime/api-error.ts';
import { Button } from '../../ui/form/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import {
  FileSearch,
  type FileView,
  paramsOf,
  readView,
  sortingOf,
  toView,
} from '../file-filters.tsx';
import { ListBody, type ListProps } from '../list-body.tsx';
import { ListCount } from '../list-count.tsx';
import { SortChoice, type SortProps } from '../sort-choice.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { FoldersToggle } from './folders-toggle.tsx';
import { JobLine } from './job-line.tsx';
import { useFolder } from './use-folder.ts';
import type { FolderJob } from './use-folder-job.ts';

const STANDARD = 'name';

/** The files and folders in a folder of a bucket. */
export function FolderList({
  folder,
  job,
  ...shared
}: ListProps & {
  /** It ends in '/'; '' for the top. */
  folder: string;
  job: FolderJob;
}) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const change = (part: Partial<FileView>) =>
    setParams({ folder, ...paramsOf({ ...view, ...part }) });
  const sorting: SortProps = {
    ...sortingOf(view, STANDARD),
    onSort: (next) => change(toView(next, STANDARD)),
  };
  const { sort, order } = sorting;
  const list = useFolder(shared.bucketId, folder, { sort, order });
  const folders = list.rows.filter((row) => 'folder' in row).length;
  const isTooLarge = list.error instanceof ApiError && list.error.status === 400;
  return (
    <>
      <search aria-label="Filters" className="mt-4 flex flex-wrap gap-2">
        <FileSearch text={view.q} isLoading={false} onText={(q) => change({ q })} />
        {!view.isGrid && <SortChoice {...sorting} isIcon />}
        <FoldersToggle
          isOn
          isGrid={view.isGrid}
          onFolder={shared.onFolder}
          onGrid={(isGrid) => change({ isGrid })}
        />
      </search>
      <div className="mt-1.5 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2 max-sm:min-h-10">
        <Breadcrumbs
          folder={folder}
          onFolder={shared.onFolder}
          onDropFiles={shared.actions.onDropFiles}
        />
        <JobLine {...job} />
        <ListCount
          files={list.rows.length - folders}
          folders={folders}
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
        listKey={folder}
        onVisibleRows={list.onVisibleRows}
        empty={
          <EmptyState
            title="This folder is empty."
            text="Files you upload now are stored in this folder."
          />
        }
        {...(isTooLarge && {
          failure: (
            <EmptyState
              title="This folder is too large to be sorted this way."
              text={list.error?.message ?? ''}
            >
              <Button onClick={() => change({ sort: undefined, order: undefined })}>
                Sort by name
              </Button>
            </EmptyState>
          ),
        })}
      />
    </>
  );
}

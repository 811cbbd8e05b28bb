import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import type { FileWire } from '../../server/contract/wire.ts';
import { loadable, OnDemand } from '../ui/on-demand.tsx';
import { type PagedList, PagedState } from '../ui/paged-state.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';
import type { Neighbours } from '../ui/use-opened.ts';
import type { Sorting } from './file-filters.tsx';
import { FileTable } from './file-table.tsx';
import type { Folder } from './folders/use-folder.ts';
import { FileGrid } from './grid/file-grid.tsx';
import type { FileActions } from './rows/file-menu.tsx';
import type { SortProps } from './sort-choice.tsx';

const loadDrawer = loadable(async () => (await import('./file-drawer.tsx')).FileDrawer);

/** What the list of all files and that of a folder share. */
export type ListProps = {
  bucketId: string;
  /** Gets the focus after a row has been removed. */
  element: RefObject<HTMLDivElement | null>;
  actions: FileActions;
  /** Whose details are open, null where none are. */
  drawer: {
    fileId: string | null;
    close: () => void;
    neighboursIn: (ids: string[]) => Neighbours;
  };
  /** Shows a folder; null shows the list of all files. */
  onFolder: (folder: string | null) => void;
};

/** The rows of a list, or what stands in their place while there are none, and the details of one of them. */
export function ListBody({
  bucketId,
  element,
  actions,
  drawer,
  onFolder,
  list,
  isStale = false,
  rows,
  listKey,
  sorting,
  isGrid,
  empty,
  failure = <ErrorState tried="The files could not be loaded." onRetry={() => list.refetch()} />,
  onVisibleRows,
}: ListProps & {
  list: PagedList;
  /** Whether the rows are those of the filter before, while those of this one are loading. */
  isStale?: boolean;
  rows: (FileWire | Folder)[];
  /** A list with another key is another list: nothing of it is selected, and it starts at the top. */
  listKey: string;
  sorting: SortProps;
  /** Whether the files are cards in a grid, instead of rows of a table. */
  isGrid: boolean;
  empty: ReactNode;
  /** What is shown where the list could not be loaded. */
  failure?: ReactNode;
  onVisibleRows?: (rows: readonly [number, number]) => void;
}) {
  const Table = isGrid ? FileGrid : FileTable;
  useTopAfterSort(element, sorting);
  // What follows the old rows is not loaded any more.
  const shown = isStale ? { ...list, isPending: rows.length === 0, hasNextPage: false } : list;
  return (
    <>
      <div
        ref={element}
        tabIndex={-1}
        aria-busy={list.isPending || isStale}
        className="relative mt-1.5 outline-none"
      >
        {isStale && rows.length > 0 && (
          <div className="absolute inset-x-0 top-32 z-20 grid place-items-center">
            <Spinner />
          </div>
        )}
        <PagedState list={shown} count={rows.length} failure={failure} empty={empty}>
          {(after) => (
            <div className={isStale ? 'opacity-50' : ''}>
              <Table
                key={listKey}
                bucketId={bucketId}
                rows={rows}
                isComplete={!shown.hasNextPage}
                onFolder={onFolder}
                sorting={sorting}
                {...(onVisibleRows && { onVisibleRows })}
                {...actions}
              >
                {after}
              </Table>
            </div>
          )}
        </PagedState>
      </div>
      <OnDemand
        load={loadDrawer}
        isOpen={drawer.fileId !== null}
        props={{
          bucketId,
          fileId: drawer.fileId,
          name: nameOf(rows, drawer.fileId),
          neighbours: drawer.neighboursIn(fileIds(rows)),
          onDelete: (file) => actions.onDelete([file]),
          onClose: drawer.close,
        }}
      />
    </>
  );
}

/** Scrolls a list to its top when it is sorted. What sorted it keeps the focus, as the list stays in the document. */
function useTopAfterSort(element: RefObject<HTMLDivElement | null>, { sort, order }: Sorting) {
  const key = `${sort} ${order}`;
  const shown = useRef(key);
  useLayoutEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    element.current?.querySelector('[data-scroll-box]')?.scrollTo(0, 0);
  }, [element, key]);
}

const fileIds = (rows: (FileWire | Folder)[]) =>
  rows.flatMap((row) => ('name' in row ? [row.id] : []));

function nameOf(rows: (FileWire | Folder)[], fileId: string | null): string | undefined {
  const row = rows.find(({ id }) => id === fileId);
  return row && 'name' in row ? row.name : undefined;
}

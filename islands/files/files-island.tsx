import { useMemo, useRef, useState } from 'react';
import { Router, useSearchParams } from 'wouter';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/form/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { EmptyState, ErrorState, LoadMore, Spinner } from '../ui/states.tsx';
import { openBy, useOpenItem } from '../ui/use-opened.ts';
import { InterruptedUploads, Uploads } from '../uploads/shared.ts';
import { DeleteDialog, useDeleteFile } from './delete-file.tsx';
import { FileDrawer } from './file-drawer.tsx';
import { useFileEvents } from './file-events.ts';
import { FileFilters, type FileView, paramsOf, readView } from './file-filters.tsx';
import { FileTable } from './file-table.tsx';
import { FirstSteps } from './first-steps.tsx';
import { useRetryFile } from './retry-file.tsx';
import { useFiles } from './use-files.ts';

const PARAMETER = 'file';

type Props = {
  bucketId: string;
  /** The server's public URL. */
  appUrl: string;
  /** The path and the query of the page's URL, for rendering on the server. */
  path: string;
  search: string;
  first: FilePageWire;
};

/** A bucket's files with their filters, which are in the page's URL, and the upload buttons. */
export default function FilesIsland(props: Props) {
  return (
    <Router ssrPath={props.path} ssrSearch={props.search}>
      <Files {...props} />
    </Router>
  );
}

function Files({ bucketId, appUrl, search, first }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const change = (part: Partial<FileView>) => setParams(paramsOf({ ...view, ...part }));
  const [visibleRows, setVisibleRows] = useState<readonly [number, number]>([0, 0]);
  const rendered = { page: first, view: readView(new URLSearchParams(search)) };
  const list = useFiles(bucketId, view, rendered, visibleRows);
  useFileEvents(bucketId);
  const pages = list.data?.pages;
  const files = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  const listElement = useRef<HTMLDivElement>(null);
  const drawer = useOpenFile();
  const remove = useDeleteFile(bucketId);
  const retry = useRetryFile(bucketId);
  const [fileToDelete, setFileToDelete] = useState<FileWire | null>(null);
  const isNarrowed = Object.keys(paramsOf(view)).length > 0;

  return (
    <>
      <PageHead title="Files" text="The files uploaded in your bucket.">
        <Uploads bucketId={bucketId} />
      </PageHead>
      <InterruptedUploads bucketId={bucketId} after={listElement} />
      <FileFilters view={view} onChange={change} />
      <div ref={listElement} tabIndex={-1} aria-busy={list.isPending} className="mt-4 outline-none">
        {list.isPending ? (
          <div className="grid h-80 place-items-center">
            <Spinner />
          </div>
        ) : list.isError && files.length === 0 ? (
          <ErrorState tried="The files could not be loaded." onRetry={() => list.refetch()} />
        ) : files.length === 0 && !list.hasNextPage ? (
          isNarrowed ? (
            <EmptyState title={MESSAGES.noFiles} text="No file matches these filters.">
              <Button onClick={() => setParams({})}>Clear filters</Button>
            </EmptyState>
          ) : (
            <FirstSteps appUrl={appUrl} bucketId={bucketId} />
          )
        ) : (
          <FileTable
            // A new key makes a list with other filters start at the top.
            key={JSON.stringify(paramsOf(view))}
            bucketId={bucketId}
            files={files}
            isComplete={!list.hasNextPage}
            onVisibleRows={setVisibleRows}
            onDetails={openFile}
            onRetry={retry.mutate}
            onDelete={setFileToDelete}
          >
            {list.hasNextPage && (
              <LoadMore
                loading={list.isFetchingNextPage}
                failed={list.isFetchNextPageError}
                onNear={list.fetchNextPage}
              />
            )}
          </FileTable>
        )}
      </div>
      <FileDrawer
        bucketId={bucketId}
        fileId={drawer.fileId}
        name={files.find(({ id }) => id === drawer.fileId)?.name}
        onDelete={setFileToDelete}
        onClose={drawer.close}
      />
      <DeleteDialog
        file={fileToDelete}
        after={listElement}
        onConfirm={(file) => {
          remove.mutate(file);
          drawer.close();
          setFileToDelete(null);
        }}
        onClose={() => setFileToDelete(null)}
      />
    </>
  );
}

/** Opens the details of a file. */
const openFile = ({ id }: { id: string }) => openBy(PARAMETER, id);

/** Returns which file's details are open. */
function useOpenFile() {
  const { id, close } = useOpenItem(PARAMETER);
  return { fileId: id, close };
}

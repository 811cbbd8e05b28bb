import { useMemo, useRef, useState } from 'react';
import { Router, useSearchParams } from 'wouter';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/form/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { LoadMore } from '../ui/table/load-more.tsx';
import { Uploads } from '../uploads/uploads.tsx';
import { CurlExample } from './drawer/curl-example.tsx';
import { FileDrawer } from './drawer/file-drawer.tsx';
import { openFile, useOpenFile } from './drawer/use-open-file.ts';
import { FileFilters } from './filters/file-filters.tsx';
import { type FileView, paramsOf, readView } from './filters/view.ts';
import { DeleteDialog } from './table/delete-dialog.tsx';
import { FileTable } from './table/file-table.tsx';
import { useDeleteFile } from './table/use-delete-file.ts';
import { useFiles } from './table/use-files.ts';

type Props = {
  bucketId: string;
  /** Where this server is found. */
  appUrl: string;
  /** Of the page's URL, for rendering it on the server. */
  path: string;
  search: string;
  first: FilePageWire;
};

/** A bucket's files, and the two ways to add some; which of them are shown is in the page's URL. */
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
  const [seen, setSeen] = useState<readonly [number, number]>([0, 0]);
  const rendered = { page: first, view: readView(new URLSearchParams(search)) };
  const list = useFiles(bucketId, view, rendered, seen);
  const pages = list.data?.pages;
  const files = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  const place = useRef<HTMLDivElement>(null);
  const opened = useOpenFile();
  const remove = useDeleteFile(bucketId);
  const [fileToDelete, setFileToDelete] = useState<FileWire | null>(null);
  const isNarrowed = Object.keys(paramsOf(view)).length > 0;

  return (
    <>
      <PageHead title="Files" text="The files uploaded in your bucket.">
        <Uploads bucketId={bucketId} />
      </PageHead>
      <FileFilters view={view} onChange={change} />
      <div ref={place} tabIndex={-1} aria-busy={list.isPending} className="mt-4 outline-none">
        {list.isPending ? (
          <div className="grid h-80 place-items-center">
            <Spinner />
          </div>
        ) : list.isError && files.length === 0 ? (
          <ErrorState tried="The files could not be loaded." onRetry={() => list.refetch()} />
        ) : files.length === 0 && !list.hasNextPage ? (
          <EmptyState
            title={MESSAGES.noFiles}
            text={
              isNarrowed
                ? 'None of the bucket’s files matches these filters.'
                : 'Upload an image or a video to see it here.'
            }
          >
            {isNarrowed ? (
              <Button onClick={() => setParams({})}>Clear filters</Button>
            ) : (
              <CurlExample appUrl={appUrl} bucketId={bucketId} />
            )}
          </EmptyState>
        ) : (
          <FileTable
            // Another view begins at its top.
            key={JSON.stringify(paramsOf(view))}
            files={files}
            isWhole={!list.hasNextPage}
            jwt={pages?.[0]?.jwt ?? ''}
            onSeen={setSeen}
            onDetails={openFile}
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
        fileId={opened.fileId}
        name={files.find(({ id }) => id === opened.fileId)?.name}
        onClose={opened.close}
      />
      <DeleteDialog
        file={fileToDelete}
        after={place}
        onConfirm={(file) => {
          remove.mutate(file);
          setFileToDelete(null);
        }}
        onClose={() => setFileToDelete(null)}
      />
    </>
  );
}

import { useRef, useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire, FileWire } from '../../server/contract/wire.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Uploads } from '../uploads/uploads.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { FileDrawer } from './file-drawer.tsx';
import { FileTable } from './file-table.tsx';
import { useDeleteFile } from './use-delete-file.ts';
import { useFiles } from './use-files.ts';
import { useOpenFile } from './use-open-file.ts';

/** A bucket's files, and the two ways to add some. */
export default function FilesIsland({
  bucketId,
  first,
}: {
  bucketId: string;
  first: FilePageWire;
}) {
  const list = useFiles(bucketId, first);
  const files = list.data?.pages.flatMap((page) => page.data) ?? [];
  const jwt = list.data?.pages[0]?.jwt ?? '';
  const place = useRef<HTMLDivElement>(null);
  const opened = useOpenFile();
  const remove = useDeleteFile(bucketId);
  const [doomed, setDoomed] = useState<FileWire | null>(null);

  return (
    <>
      <PageHead title="Files" text="The files uploaded in your bucket.">
        <Uploads bucketId={bucketId} />
      </PageHead>
      <div ref={place} tabIndex={-1} className="mt-6 outline-none">
        {list.isError && files.length === 0 ? (
          <ErrorState tried="The files could not be loaded." onRetry={() => list.refetch()} />
        ) : files.length === 0 ? (
          <EmptyState title={MESSAGES.noFiles} text="Upload an image or a video to see it here." />
        ) : (
          <section
            aria-label="Files in this bucket"
            className="card max-h-[calc(100dvh-13rem)] overflow-auto max-sm:max-h-none"
          >
            <FileTable
              files={files}
              jwt={jwt}
              onDetails={({ id }) => opened.open(id)}
              onDelete={setDoomed}
            />
            {list.hasNextPage && (
              <LoadMore
                loading={list.isFetchingNextPage}
                failed={list.isFetchNextPageError}
                onNear={list.fetchNextPage}
              />
            )}
          </section>
        )}
      </div>
      <FileDrawer
        bucketId={bucketId}
        fileId={opened.fileId}
        name={files.find(({ id }) => id === opened.fileId)?.name}
        onClose={opened.close}
      />
      <DeleteDialog
        file={doomed}
        onConfirm={(file) => {
          remove.mutate(file);
          setDoomed(null);
        }}
        onClose={(confirmed) => {
          setDoomed(null);
          // The row that had the focus is gone.
          if (confirmed) place.current?.focus({ preventScroll: true });
        }}
      />
    </>
  );
}

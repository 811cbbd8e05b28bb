import { MESSAGES } from '../../server/contract/messages.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { LoadMore } from '../ui/load-more.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { FileTable } from './file-table.tsx';
import { ImageDialog } from './image-dialog.tsx';
import { useFiles } from './use-files.ts';
import { VideoDialog } from './video-dialog.tsx';

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

  return (
    <>
      <PageHead title="Files" text="The files uploaded in your bucket.">
        <div className="flex flex-wrap gap-2">
          <ImageDialog bucketId={bucketId} files={files} />
          <VideoDialog bucketId={bucketId} files={files} />
        </div>
      </PageHead>
      <div className="mt-6">
        {list.isError && files.length === 0 ? (
          <ErrorState tried="The files could not be loaded." onRetry={() => list.refetch()} />
        ) : files.length === 0 ? (
          <EmptyState title={MESSAGES.noFiles} text="Upload an image or a video to see it here." />
        ) : (
          <section
            aria-label="Files in this bucket"
            className="card max-h-[calc(100dvh-13rem)] overflow-auto max-sm:max-h-none"
          >
            <FileTable files={files} jwt={jwt} />
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
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { FileDetailWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { DetailDrawer } from '../ui/dialog/drawer.tsx';
import type { Neighbours } from '../ui/use-opened.ts';
import { DrawerActions, EmbedCode } from './drawer-actions.tsx';
import { FileFacts, FileRenditions, FileUrls } from './file-facts.tsx';
import { FileMetadata } from './metadata/file-metadata.tsx';
import { FilePreview } from './preview/file-preview.tsx';
import { RetryNotice, useRetryFile } from './retry-file.tsx';
import { TransformBuilder } from './transforms/transform-builder.tsx';
import { FileVersions } from './versions/file-versions.tsx';

const PROCESSING_INTERVAL = 2 * SECOND;
/** The response has a token for private files, which expires after an hour. */
const TOKEN_INTERVAL = 30 * MINUTE;

/** The details of a file, in a drawer that is closed while `fileId` is null. */
export function FileDrawer({
  bucketId,
  fileId,
  name,
  neighbours,
  onDelete,
  onClose,
}: {
  bucketId: string;
  fileId: string | null;
  /** The file's name if the list has it, to show it before the details are loaded. */
  name: string | undefined;
  neighbours: Neighbours;
  onDelete: (file: FileDetailWire) => void;
  onClose: () => void;
}) {
  const detail = useFileDetail(bucketId, fileId);
  const retry = useRetryFile(bucketId);
  return (
    <DetailDrawer
      open={fileId !== null}
      title={detail.data?.name ?? name ?? 'File'}
      what="file"
      detail={detail}
      preview={<div className="skeleton aspect-video w-full rounded-md" />}
      neighbours={neighbours}
      onClose={onClose}
    >
      {(file) => (
        <>
          <FilePreview key={file.id} bucketId={bucketId} file={file} />
          <DrawerActions file={file} onDelete={onDelete} />
          <RetryNotice file={file} isPending={retry.isPending} onRetry={retry.mutate} />
          <FileFacts file={file} />
          <FileMetadata key={`metadata-${file.id}`} bucketId={bucketId} file={file} />
          <FileVersions bucketId={bucketId} fileId={file.id} onRestored={onClose} />
          {file.renditions && <FileRenditions renditions={file.renditions} />}
          {file.url && <FileUrls file={file} />}
          <EmbedCode file={file} />
          <TransformBuilder file={file} />
        </>
      )}
    </DetailDrawer>
  );
}

/** Loads the details of a file, and reloads them while it is processed. */
const useFileDetail = (bucketId: string, fileId: string | null) =>
  useQuery({
    queryKey: ['file', bucketId, fileId],
    enabled: fileId !== null,
    queryFn: () =>
      call('GET /files/:bucketID/:fileID', {
        params: { bucketID: bucketId, fileID: fileId ?? '' },
      }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'processing' ? PROCESSING_INTERVAL : TOKEN_INTERVAL,
  });

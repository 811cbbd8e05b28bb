import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import type { FileDetailWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { DetailDrawer } from '../ui/dialog/drawer.tsx';
import { DrawerActions, EmbedCode } from './drawer-actions.tsx';
import { FileFacts, FileRenditions, FileUrls } from './file-facts.tsx';
import { withToken } from './file-url.ts';
import { RetryNotice, useRetryFile } from './retry-file.tsx';
import { TransformBuilder } from './transform-builder.tsx';

const PROCESSING_INTERVAL = 2 * SECOND;
/** The response has a token for private files, which expires after an hour. */
const TOKEN_INTERVAL = 30 * MINUTE;

/** The preview has one shape, so that what is below it stays where it is when the file becomes ready. */
const frame = 'aspect-video w-full rounded-md border border-base-300 bg-base-100';

/** The details of a file, in a drawer that is closed while `fileId` is null. */
export function FileDrawer({
  bucketId,
  fileId,
  name,
  onDelete,
  onClose,
}: {
  bucketId: string;
  fileId: string | null;
  /** The file's name if the list has it, to show it before the details are loaded. */
  name: string | undefined;
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
      onClose={onClose}
    >
      {(file) => (
        <>
          <FilePreview bucketId={bucketId} file={file} />
          <DrawerActions file={file} onDelete={onDelete} />
          <RetryNotice file={file} isPending={retry.isPending} onRetry={retry.mutate} />
          <FileFacts file={file} />
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

/** Shows the image, or the video in its player, or that there is no preview. */
function FilePreview({ bucketId, file }: { bucketId: string; file: FileDetailWire }) {
  const { url, access, jwt, name, status } = file;
  if (url === null) {
    return (
      <NoPreview>
        {status === 'processing'
          ? 'The preview appears here when the file is ready.'
          : 'This file has no preview.'}
      </NoPreview>
    );
  }
  if (file.file_type === 'video') {
    return (
      <iframe
        // A new key reloads the player when all resolutions are ready.
        key={file.status}
        // A relative URL has the page's origin, whatever host name the user has typed.
        src={withToken(`/embed/${bucketId}/${file.id}`, access, jwt)}
        title={`Player of ${name}`}
        className={frame}
        allow="fullscreen; picture-in-picture"
        allowFullScreen
        onLoad={({ currentTarget }) => closeByEscape(currentTarget)}
      />
    );
  }
  return <Picture key={url} file={file} src={withToken(url, access, jwt)} />;
}

function Picture({ file, src }: { file: FileDetailWire; src: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <NoPreview>The preview could not be loaded.</NoPreview>;
  return (
    <img
      src={src}
      alt={`Preview of ${file.name}`}
      width={file.width ?? undefined}
      height={file.height ?? undefined}
      className={`object-contain ${frame}`}
      onError={() => setMissing(true)}
    />
  );
}

const NoPreview = ({ children }: { children: ReactNode }) => (
  <p className={`grid place-items-center border-dashed px-4 text-center text-quiet ${frame}`}>
    {children}
  </p>
);

/** Makes Escape close the drawer while the player has the focus, whose frame gets the key. */
function closeByEscape(player: HTMLIFrameElement) {
  player.contentDocument?.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') player.closest('dialog')?.requestClose();
  });
}

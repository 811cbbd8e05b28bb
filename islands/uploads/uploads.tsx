import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FileType } from '../../server/contract/wire.ts';
import { filesKey } from '../files/table/use-files.ts';
import { notify } from '../runtime/notify.ts';
import { isSessionEnding } from '../runtime/session.ts';
import { DropZone } from './dialogs/drop-zone.tsx';
import { sortDropped } from './dialogs/file-kinds.ts';
import { ImageDialog } from './dialogs/image-dialog.tsx';
import { LogoutDialog } from './dialogs/logout-dialog.tsx';
import { VideoDialog } from './dialogs/video-dialog.tsx';
import { useProcessingStatus } from './queue/processing-status.ts';
import { isSending, useUploads } from './queue/upload-store.ts';
import { UploadTray } from './queue/upload-tray.tsx';

const NOTHING: File[] = [];

/** The two ways to add files to a bucket, by button or by dropping them, and what is on its way. */
export function Uploads({ bucketId }: { bucketId: string }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<FileType | null>(null);
  const [dropped, setDropped] = useState<{ kind: FileType; files: File[] } | null>(null);
  useProcessingStatus(bucketId);
  useLeaveWarning();

  const take = (files: File[]) => {
    const { kind, taken, left } = sortDropped(files);
    if (!kind) notify.error('There is no image and no video among these files.');
    else if (open ? open !== kind : document.querySelector('dialog[open]')) {
      notify.error('Close the open dialog first.');
    } else {
      if (left > 0) {
        notify.info(`Only the ${kind}s were taken: images and videos are uploaded apart.`);
      }
      setOpen(kind);
      setDropped({ kind, files: taken });
    }
  };
  const dialog = (kind: FileType) => ({
    bucketId,
    open: open === kind,
    // A dialog's closing is told late: by then the other one may be open, and stays so.
    onOpen: (isOpen: boolean) =>
      setOpen((current) => {
        if (isOpen) return kind;
        return current === kind ? null : current;
      }),
    dropped: dropped?.kind === kind ? dropped.files : NOTHING,
    onChange: () => client.invalidateQueries({ queryKey: filesKey(bucketId) }),
  });

  return (
    <>
      <div className="flex flex-wrap gap-2">
        <ImageDialog {...dialog('image')} />
        <VideoDialog {...dialog('video')} />
      </div>
      <DropZone onFiles={take} />
      <UploadTray />
      <LogoutDialog />
    </>
  );
}

/** Leaving the page would end what is being sent: the browser asks first. */
function useLeaveWarning() {
  const isAny = useUploads().some(isSending);
  useEffect(() => {
    if (!isAny) return;
    const warn = (event: BeforeUnloadEvent) => {
      if (!isSessionEnding()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isAny]);
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { FileType } from '../../server/contract/wire.ts';
import { notify } from '../runtime/notify.ts';
import { LOGOUT_EVENT } from '../runtime/page-events.ts';
import { endSession, isSessionEnding } from '../runtime/session.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { DropZone } from './dialogs/drop-zone.tsx';
import { sortDropped } from './dialogs/file-kinds.ts';
import { ImageDialog } from './dialogs/image-dialog.tsx';
import { VideoDialog } from './dialogs/video-dialog.tsx';
import { filesKey, useProcessingStatus } from './queue/processing-status.ts';
import { UploadTray } from './queue/upload-tray.tsx';
import { isSending, type UploadListItem, useUploads } from './upload-store.ts';

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
    if (!kind) notify.error('None of these files is an image or a video.');
    else if (open ? open !== kind : document.querySelector('dialog[open]')) {
      notify.error('Close the open dialog first.');
    } else {
      if (left > 0) {
        notify.info(`Only the ${kind}s were added. Upload images and videos separately.`);
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

/** Asks before logging out ends what is being sent. With nothing on its way nobody is asked. */
function LogoutDialog() {
  const [asking, setAsking] = useState(false);
  const sent = useUploads().filter(isSending);
  const ask = useEffectEvent((event: Event) => {
    if (sent.length === 0) return;
    event.preventDefault();
    setAsking(true);
  });
  useEffect(() => {
    const onLogout = (event: Event) => ask(event);
    document.addEventListener(LOGOUT_EVENT, onLogout);
    return () => document.removeEventListener(LOGOUT_EVENT, onLogout);
  }, []);
  return (
    <ConfirmDialog
      open={asking}
      title="Log out"
      text={lossOf(sent)}
      act="Log out"
      keep="Stay"
      onConfirm={() => void endSession('/')}
      onClose={() => setAsking(false)}
    />
  );
}

function lossOf(sent: readonly UploadListItem[]): string {
  if (sent.length === 0) return 'Your uploads have finished, so nothing is lost.';
  const head = sent.length === 1 ? '1 upload will stop' : `${sent.length} uploads will stop`;
  const kinds = new Set(sent.map(({ kind }) => kind));
  const ways = [
    kinds.has('video') && 'You can resume a video within 24 hours by choosing its file again.',
    kinds.has('image') && 'Images must be uploaded again.',
  ];
  return [`${head} before it is complete.`, ...ways].filter(Boolean).join(' ');
}

import { useEffect, useEffectEvent, useState } from 'react';
import { LOGOUT_EVENT } from '../runtime/page-events.ts';
import { endSession, isSessionEnding } from '../runtime/session.ts';
import { ConfirmDialog } from '../ui/dialog/dialog.tsx';
import { useProcessingStatus } from './queue/processing-status.ts';
import { UploadTray } from './tray/upload-tray.tsx';
import { isSending, type UploadListItem, useUploads } from './upload-store.ts';

/**
 * What uploads need for as long as they run. It stands beside the pages, because other pages of the dashboard
 * can be opened meanwhile.
 */
export function UploadHost() {
  useLeaveWarning();
  const bucketIds = new Set(useUploads().map(({ bucketId }) => bucketId));
  return (
    <>
      {[...bucketIds].map((id) => (
        <ProcessingStatus key={id} bucketId={id} />
      ))}
      <UploadTray />
      <LogoutDialog />
    </>
  );
}

function ProcessingStatus({ bucketId }: { bucketId: string }) {
  useProcessingStatus(bucketId);
  return null;
}

/** Makes the browser ask before the page is left, because that would stop the running uploads. */
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

/** Asks before a logout stops running uploads. Without any, the logout goes ahead. */
function LogoutDialog() {
  const [asking, setAsking] = useState(false);
  const running = useUploads().filter(isSending);
  const confirmLogout = useEffectEvent((event: Event) => {
    if (running.length === 0) return;
    event.preventDefault();
    setAsking(true);
  });
  useEffect(() => {
    const onLogout = (event: Event) => confirmLogout(event);
    document.addEventListener(LOGOUT_EVENT, onLogout);
    return () => document.removeEventListener(LOGOUT_EVENT, onLogout);
  }, []);
  return (
    <ConfirmDialog
      open={asking}
      title="Log out"
      text={lossOf(running)}
      act="Log out"
      keep="Stay"
      onConfirm={() => void endSession('/')}
      onClose={() => setAsking(false)}
    />
  );
}

function lossOf(running: readonly UploadListItem[]): string {
  if (running.length === 0) return 'Your uploads have finished, so nothing is lost.';
  const head =
    running.length === 1
      ? '1 upload will stop before it is complete.'
      : `${running.length} uploads will stop before they are complete.`;
  const kinds = new Set(running.map(({ kind }) => kind));
  const hints = [
    kinds.has('video') && 'You can resume a video within 24 hours by choosing its file again.',
    kinds.has('image') && 'Images must be uploaded again.',
  ];
  return [head, ...hints].filter(Boolean).join(' ');
}

import { useEffect, useEffectEvent, useState } from 'react';
import { LOGOUT_EVENT } from '../../page/page-events.ts';
import { endSession } from '../../runtime/session.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { isSending, type UploadListItem, useUploads } from '../queue/upload-store.ts';

/** Asks before logging out ends what is being sent. With nothing on its way nobody is asked. */
export function LogoutDialog() {
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
  if (sent.length === 0) return 'The uploads have ended meanwhile: nothing is lost.';
  const head = sent.length === 1 ? '1 upload ends' : `${sent.length} uploads end`;
  const kinds = new Set(sent.map(({ kind }) => kind));
  const ways = [
    kinds.has('video') && 'A video can go on within 24 hours, when its file is chosen again.',
    kinds.has('image') && 'An image has to be sent again.',
  ];
  return [`${head} before all has been sent.`, ...ways].filter(Boolean).join(' ');
}

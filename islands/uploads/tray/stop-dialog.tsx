import type { RefObject } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { hasEnded, type UploadListItem, useUploads } from '../upload-store.ts';

/** Asks before an upload is stopped. */
export function StopDialog({
  row,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while the dialog is closed. */
  row: UploadListItem | null;
  /** Gets the focus after the upload has been stopped. */
  after: RefObject<HTMLElement | null>;
  onConfirm: (id: number) => void;
  onClose: () => void;
}) {
  const hasOthers = useUploads().some((one) => one.id !== row?.id && !hasEnded(one));
  return (
    <ConfirmDialog
      open={row !== null}
      title="Stop upload"
      text={row && <StopText row={row} hasOthers={hasOthers} />}
      act="Stop upload"
      keep={row?.phase === 'processing' ? 'Keep the file' : 'Keep uploading'}
      after={after}
      onConfirm={() => row && onConfirm(row.id)}
      onClose={onClose}
    />
  );
}

function StopText({
  row: { file, phase, sent },
  hasOthers,
}: {
  row: UploadListItem;
  hasOthers: boolean;
}) {
  return (
    <>
      <Subject>{file.name}</Subject>{' '}
      {phase === 'processing'
        ? `(${formatBytes(file.size)}) has been uploaded and is being processed. The file will be permanently deleted.`
        : `is being uploaded (${formatBytes(sent)} of ${formatBytes(file.size)}). The uploaded part will be deleted, and this upload can’t be resumed.`}
      {hasOthers && ' Other uploads continue.'}
    </>
  );
}

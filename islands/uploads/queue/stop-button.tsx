import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { stopUpload } from './upload-manager.ts';
import { hasEnded, type UploadListItem, useUploads } from './upload-store.ts';

/** 'Stop upload', which asks once. Of what waits for its turn nothing is lost: that stops at once. */
export function StopButton({ row }: { row: UploadListItem }) {
  const [asking, setAsking] = useState(false);
  const { file, phase, sent } = row;
  const hasOthers = useUploads().some((one) => one.id !== row.id && !hasEnded(one));
  const isProcessing = phase === 'processing';
  const stop = () => void stopUpload(row.id);
  return (
    <>
      <Button
        className="btn-ghost btn-sm -mr-3 shrink-0 text-quiet"
        aria-label={`Stop upload of ${file.name}`}
        pending={phase === 'stopping'}
        onClick={() => (phase === 'waiting' && sent === 0 ? stop() : setAsking(true))}
      >
        Stop upload
      </Button>
      <ConfirmDialog
        open={asking && phase !== 'stopping'}
        title="Stop upload"
        text={
          <>
            <Subject>{file.name}</Subject>{' '}
            {isProcessing
              ? `(${formatBytes(file.size)}) has arrived and is being processed. It is deleted with all that was made of it, and its URLs stop working at once.`
              : `is sent up to ${formatBytes(sent)} of ${formatBytes(file.size)}. What has arrived is removed, and this upload can’t go on later.`}
            {hasOthers && ' Other uploads go on.'}
          </>
        }
        act="Stop upload"
        keep={isProcessing ? 'Keep the file' : 'Keep uploading'}
        onConfirm={() => {
          setAsking(false);
          stop();
        }}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

import { useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { FileLine } from '../file-line.tsx';
import { dropRow, hasEnded, isSending, type UploadListItem, useUploads } from '../upload-store.ts';
import { timeLeft } from './rate.ts';
import { stopUpload } from './upload-manager.ts';

/** One upload: bytes while they leave, per cent while the file is made, and a way to stop it. */
export function UploadLine({ row }: { row: UploadListItem }) {
  const { file, phase } = row;
  const isOver = hasEnded(row);
  const percent = percentOf(row);
  return (
    <FileLine
      file={file}
      kind={row.kind}
      action={
        !isOver ? (
          <StopButton row={row} />
        ) : (
          phase === 'failed' &&
          row.inBackground && (
            <Button
              className="btn-ghost btn-sm -mr-3 shrink-0 text-quiet"
              aria-label={`Dismiss ${file.name}`}
              onClick={() => dropRow(row.id)}
            >
              Dismiss
            </Button>
          )
        )
      }
    >
      {!isOver && (
        <progress
          className="progress progress-primary mt-1 block h-1.5 w-full"
          value={percent}
          max={100}
          aria-label={`${phase === 'processing' ? 'Processing' : 'Upload'} progress of ${file.name}`}
        />
      )}
      <div className="numbers mt-1.5 flex justify-between gap-x-4 text-xs text-quiet">
        <span>
          {isSending(row) && <span>{bytesText(row)}</span>}
          <span role="status" className={STATUS_CLASS[phase]}>
            {statusText(row)}
          </span>
        </span>
        {!isOver && <span className="ml-auto shrink-0">{percent} %</span>}
      </div>
    </FileLine>
  );
}

const STATUS_CLASS: Partial<Record<UploadListItem['phase'], string>> = {
  paused: 'block text-warning',
  done: 'text-success',
  failed: 'text-error',
};

const percentOf = ({ phase, progress, sent, file }: UploadListItem) =>
  phase === 'processing' ? progress : Math.floor((100 * sent) / Math.max(1, file.size));

function bytesText({ sent, file, rate }: UploadListItem): string {
  const parts = [`${formatBytes(sent)} of ${formatBytes(file.size)}`];
  if (rate !== null) parts.push(`${formatBytes(rate)}/s`);
  const left = timeLeft(file.size - sent, rate);
  if (left) parts.push(left);
  return parts.join(' · ');
}

/** What is announced when it changes; the numbers beside it are not. */
function statusText({ phase, reason }: UploadListItem): string {
  switch (phase) {
    case 'waiting':
      return ' · Waiting in the queue.';
    case 'sending':
      return '';
    case 'paused':
      return 'Connection lost. Resuming when you’re back online.';
    case 'processing':
      return 'Uploaded. Processing the file.';
    case 'stopping':
      return 'Stopping.';
    case 'done':
      return 'Ready.';
    case 'stopped':
      return 'Stopped.';
    case 'failed':
      return reason ?? '';
  }
}

/** 'Stop upload', which asks once. Of what waits for its turn nothing is lost: that stops at once. */
function StopButton({ row }: { row: UploadListItem }) {
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
              ? `(${formatBytes(file.size)}) has been uploaded and is being processed. The file will be permanently deleted.`
              : `has uploaded ${formatBytes(sent)} of ${formatBytes(file.size)}. The uploaded part will be deleted, and this upload can’t be resumed.`}
            {hasOthers && ' Other uploads continue.'}
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

import ChevronDown from 'lucide-react/icons/chevron-down';
import { Fragment, useId, useState } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { FileLine } from '../file-line.tsx';
import { dropRow, hasEnded, isSending, type UploadListItem, useUploads } from '../upload-store.ts';
import { remainingTime } from './rate.ts';
import { stopUpload } from './upload-manager.ts';

/** The uploads that continue in the background, in the corner of the page. */
export function UploadTray() {
  const [isOpen, setOpen] = useState(true);
  const id = useId();
  const rows = useUploads().filter(({ inBackground }) => inBackground);
  if (rows.length === 0) return null;
  const running = rows.filter((row) => !hasEnded(row)).length;
  const failed = rows.filter(({ phase }) => phase === 'failed').length;
  return (
    <section
      aria-label="Uploads in the background"
      className="fixed inset-x-4 bottom-4 z-20 rounded-lg border border-base-300 bg-base-200 shadow-2xl sm:right-auto sm:w-96"
    >
      <h2>
        <button
          type="button"
          className="flex h-10 w-full cursor-pointer items-center justify-between rounded-lg px-4 font-medium"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="numbers">{headOf(running, failed)}</span>
          <ChevronDown size={16} aria-hidden className={isOpen ? '' : 'rotate-180'} />
        </button>
      </h2>
      <ul
        id={id}
        hidden={!isOpen} // The padding has room for the focus ring of the first button.
        className="max-h-64 scroll-py-2 overflow-y-auto px-4 pt-3 pb-4 sm:pt-2"
      >
        {rows.map((row) => (
          <UploadLine key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function headOf(running: number, failed: number): string {
  const head =
    running === 0 ? 'Uploads finished' : running === 1 ? '1 upload' : `${running} uploads`;
  return failed === 0 ? head : `${head} (${failed} failed)`;
}

/**
 * One upload: its bytes while they are sent, its progress while it is processed, and its Stop button. Its height
 * is the same from the first byte to the end, so that no other upload's button moves.
 */
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
      <progress
        className={`progress mt-1 block h-1.5 w-full ${BAR_CLASS[phase] ?? 'progress-primary'}`}
        value={percent}
        max={100}
        aria-label={`${phase === 'processing' ? 'Processing' : 'Upload'} progress of ${file.name}`}
      />
      <div className="numbers mt-1.5 flex min-h-8 justify-between gap-x-4 text-xs text-quiet">
        <span>
          {isSending(row) && phase !== 'paused' && <SendingFigures row={row} />}
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
  paused: 'text-warning',
  done: 'text-success',
  failed: 'text-error',
};

const BAR_CLASS: Partial<Record<UploadListItem['phase'], string>> = {
  done: 'progress-success',
  failed: 'progress-error',
};

const percentOf = ({ phase, progress, sent, file }: UploadListItem) =>
  phase === 'processing' ? progress : Math.floor((100 * sent) / Math.max(1, file.size));

/** The sent bytes, the rate and the time left. A narrow screen breaks the line between them only. */
function SendingFigures({ row: { sent, file, rate } }: { row: UploadListItem }) {
  const parts = [`${formatBytes(sent)} of ${formatBytes(file.size)}`];
  if (rate !== null) parts.push(`${formatBytes(rate)}/s`);
  const timeText = remainingTime(file.size - sent, rate);
  if (timeText) parts.push(timeText);
  return (
    <span>
      {parts.map((part, at) => (
        <Fragment key={part}>
          {at > 0 && ' · '}
          <span className="whitespace-nowrap">{part}</span>
        </Fragment>
      ))}
    </span>
  );
}

/** The text that screen readers announce when it changes. They do not announce the numbers. */
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

/** Stops an upload after a confirmation. An upload that has sent nothing stops without one. */
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
              : `is being uploaded (${formatBytes(sent)} of ${formatBytes(file.size)}). The uploaded part will be deleted, and this upload can’t be resumed.`}
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

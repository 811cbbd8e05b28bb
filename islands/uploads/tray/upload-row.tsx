import Link from 'lucide-react/icons/link';
import RotateCw from 'lucide-react/icons/rotate-cw';
import X from 'lucide-react/icons/x';
import { memo } from 'react';
import { copyShared, loadFileToken, shareUrl } from '../../file-urls/shared.ts';
import { Button } from '../../ui/form/button.tsx';
import { FilePicture } from '../file-line.tsx';
import { retryUpload } from '../queue/upload-manager.ts';
import { hasEnded, type UploadListItem } from '../upload-store.ts';
import { stateOf } from './tray-texts.ts';

/**
 * One upload: what is sent of it, or why it has failed, and what can be done. A row keeps its height from the first
 * byte to the end, so that no other row's buttons move, and its buttons have room for a finger.
 */
export const UploadRow = memo(function UploadRow({
  row,
  onStop,
  onDismiss,
}: {
  row: UploadListItem;
  onStop: (id: number) => void;
  onDismiss: (id: number) => void;
}) {
  const { file, kind, phase, percent } = row;
  const isOver = hasEnded(row);
  return (
    <li className="border-t border-base-300 pl-3 first:border-t-0">
      <div className="flex min-h-15 items-center gap-3 py-1.5">
        <FilePicture file={file} kind={kind} />
        <div className="min-w-0 grow">
          <p className="truncate font-medium" title={file.name}>
            {file.name}
          </p>
          <p className="flex justify-between gap-3 text-xs">
            <span
              className={`numbers min-w-0 ${phase === 'failed' ? 'wrap-anywhere' : 'truncate'} ${STATE_CLASS[phase] ?? 'text-quiet'}`}
            >
              {stateOf(row)}
            </span>
            {!isOver && <span className="numbers shrink-0 text-quiet">{percent}%</span>}
          </p>
          {/* It keeps its place when the upload has ended. */}
          <div className="mt-1 h-1">
            {!isOver && (
              <progress
                className="progress progress-primary block h-1 w-full"
                value={percent}
                max={100}
                aria-label={`Progress of ${file.name}`}
              />
            )}
          </div>
        </div>
        <div className="flex shrink-0 pr-1">
          <Action row={row} />
          {isOver ? (
            <SquareButton label={`Dismiss ${file.name}`} onClick={() => onDismiss(row.id)} />
          ) : (
            <SquareButton
              label={`Stop upload of ${file.name}`}
              pending={phase === 'stopping'}
              onClick={() => onStop(row.id)}
            />
          )}
        </div>
      </div>
    </li>
  );
});

const STATE_CLASS: Partial<Record<UploadListItem['phase'], string>> = {
  paused: 'text-warning',
  done: 'text-success',
  failed: 'text-error',
};

/** What leads on from an upload that has ended: its URL, or another attempt. */
function Action({ row }: { row: UploadListItem }) {
  const { created, bucketId, file, phase, canRetry, id } = row;
  if (phase === 'failed' && canRetry) {
    return (
      <Button
        className="btn-ghost h-11 px-2.5"
        aria-label={`Retry ${file.name}`}
        onClick={() => void retryUpload(id)}
      >
        <RotateCw size={16} aria-hidden />
        Retry
      </Button>
    );
  }
  if (!created) return null;
  return (
    <Button
      className="btn-ghost h-11 px-2.5"
      aria-label={`Copy URL of ${file.name}`}
      onClick={() => copyShared(created, shareUrl, () => loadFileToken(bucketId, created.id))}
    >
      <Link size={16} aria-hidden />
      Copy URL
    </Button>
  );
}

const SquareButton = ({
  label,
  pending,
  onClick,
}: {
  label: string;
  pending?: boolean;
  onClick: () => void;
}) => (
  <Button
    className="btn-ghost size-11 p-0 text-quiet"
    aria-label={label}
    title={label}
    {...(pending !== undefined && { pending })}
    onClick={onClick}
  >
    {!pending && <X size={16} aria-hidden />}
  </Button>
);

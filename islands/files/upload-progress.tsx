import { formatBytes } from '../../server/contract/units.ts';
import type { UploadState } from './use-upload.ts';

/** Bytes while they leave, per cent while the file is made. */
export function UploadProgress({ state }: { state: UploadState }) {
  if (state.phase === 'idle') return null;
  const sending = state.phase === 'sending';
  const percent = sending
    ? Math.floor((100 * state.sent) / Math.max(1, state.total))
    : state.progress;
  return (
    <div className="flex flex-col gap-1.5">
      <progress
        className="progress progress-primary h-1.5"
        value={percent}
        max={100}
        aria-label={sending ? 'Upload progress' : 'Processing progress'}
      />
      <p className="numbers flex justify-between text-xs text-quiet">
        <span>
          {sending
            ? `${formatBytes(state.sent)} of ${formatBytes(state.total)}`
            : 'Uploaded. Processing the file.'}
        </span>
        <span>{percent} %</span>
      </p>
    </div>
  );
}

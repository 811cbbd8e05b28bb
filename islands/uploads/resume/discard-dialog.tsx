import type { RefObject } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { bytesReceived, percentReceived, type ResumeEntry } from './resume-entries.ts';

/** Asks before the uploaded part of an interrupted upload is deleted. */
export function DiscardDialog({
  entry,
  isRestart = false,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while the dialog is closed. */
  entry: ResumeEntry | null;
  /** The file is uploaded again from the beginning afterwards. */
  isRestart?: boolean;
  after: RefObject<HTMLElement | null>;
  onConfirm: (entry: ResumeEntry) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={entry !== null}
      title={isRestart ? 'Start over' : 'Discard upload'}
      text={
        entry && (
          <>
            <Subject>{entry.name}</Subject> is {percentReceived(entry)}% uploaded (
            <span className="numbers">
              {formatBytes(bytesReceived(entry))} of {formatBytes(entry.size)}
            </span>
            ). The uploaded part will be deleted.{' '}
            {isRestart
              ? 'The upload starts again from the beginning.'
              : 'This upload can’t be resumed.'}
          </>
        )
      }
      act={isRestart ? 'Start over' : 'Discard'}
      after={after}
      onConfirm={() => entry && onConfirm(entry)}
      onClose={onClose}
    />
  );
}

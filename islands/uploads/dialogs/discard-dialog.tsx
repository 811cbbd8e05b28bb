import type { RefObject } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';
import { bytesArrived, percentArrived, type ResumeEntry } from '../resume/resume-entry.ts';

/** Asks before what has arrived of an interrupted upload is removed. */
export function DiscardDialog({
  entry,
  isAnew = false,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while nothing is asked. */
  entry: ResumeEntry | null;
  /** Its file is chosen, and sent again. */
  isAnew?: boolean;
  after: RefObject<HTMLElement | null>;
  onConfirm: (entry: ResumeEntry) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={entry !== null}
      title={isAnew ? 'Start over' : 'Discard upload'}
      text={
        entry && (
          <>
            <span className="numbers">
              {formatBytes(bytesArrived(entry))} of {formatBytes(entry.size)}
            </span>{' '}
            of <Subject>{entry.name}</Subject> ({percentArrived(entry)} %) have arrived. They are
            removed, and{' '}
            {isAnew
              ? 'the file is sent again from its beginning.'
              : 'this upload can’t go on any more.'}
          </>
        )
      }
      act={isAnew ? 'Start over' : 'Discard'}
      after={after}
      onConfirm={() => entry && onConfirm(entry)}
      onClose={onClose}
    />
  );
}

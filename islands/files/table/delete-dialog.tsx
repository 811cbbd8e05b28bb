import type { RefObject } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/confirm-dialog.tsx';

/** Asks once, and says what is lost. */
export function DeleteDialog({
  file,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while nothing is asked. */
  file: FileWire | null;
  /** Takes the focus of the row that is gone. */
  after: RefObject<HTMLElement | null>;
  onConfirm: (file: FileWire) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={file !== null}
      title="Delete file"
      text={
        file && (
          <>
            <Subject>{file.name}</Subject>{' '}
            <span className="numbers whitespace-nowrap">({formatBytes(file.size)})</span> and all
            that was made of it are lost. Its URLs stop working at once.
          </>
        )
      }
      act="Delete"
      after={after}
      onConfirm={() => file && onConfirm(file)}
      onClose={onClose}
    />
  );
}

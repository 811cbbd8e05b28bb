import { useRef } from 'react';
import { formatBytes } from '../../server/contract/units.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks once, and says what is lost. `onClose` is told whether it was confirmed. */
export function DeleteDialog({
  file,
  onConfirm,
  onClose,
}: {
  /** Null while nothing is asked. */
  file: FileWire | null;
  onConfirm: (file: FileWire) => void;
  onClose: (confirmed: boolean) => void;
}) {
  const confirmed = useRef(false);
  return (
    <Dialog
      open={file !== null}
      title="Delete file"
      text={
        file && (
          <>
            <strong className="font-medium wrap-anywhere text-base-content">{file.name}</strong>{' '}
            <span className="numbers whitespace-nowrap">({formatBytes(file.size)})</span> and all
            that was made of it are lost. Its URLs stop working at once.
          </>
        )
      }
      onClose={() => {
        onClose(confirmed.current);
        confirmed.current = false;
      }}
    >
      <div className="flex justify-end gap-2">
        <Button className="btn-ghost" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button
          className="btn-error"
          onClick={() => {
            if (!file) return;
            confirmed.current = true;
            onConfirm(file);
          }}
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

import type { RefObject } from 'react';
import { count, formatBytes } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';

type Props = {
  /** Null while the dialog is closed. */
  file: RemovedFileWire | null;
  /** Gets the focus after a row has been removed. */
  after: RefObject<HTMLElement | null>;
  onConfirm: (file: RemovedFileWire) => void;
  onClose: () => void;
};

/** Asks before a file of the trash is deleted for good. */
export const PurgeDialog = ({ file, after, onConfirm, onClose }: Props) => (
  <ConfirmDialog
    open={file !== null}
    title="Delete permanently"
    text={
      file && (
        <>
          <Subject>{file.name}</Subject>{' '}
          <span className="numbers whitespace-nowrap">({formatBytes(file.size)})</span> and its
          earlier versions will be permanently deleted. This can’t be undone.
        </>
      )
    }
    act="Delete"
    after={after}
    onConfirm={() => file && onConfirm(file)}
    onClose={onClose}
  />
);

/** Asks before several files of the trash are deleted for good. */
export const PurgeManyDialog = ({
  files,
  after,
  onConfirm,
  onClose,
}: Pick<Props, 'after' | 'onClose'> & {
  files: RemovedFileWire[] | null;
  onConfirm: (files: RemovedFileWire[]) => void;
}) => (
  <ConfirmDialog
    open={files !== null}
    title="Delete permanently"
    text={
      files && (
        <>
          <Subject>{count(files.length, 'file')}</Subject>{' '}
          <span className="numbers whitespace-nowrap">
            ({formatBytes(files.reduce((sum, { size }) => sum + size, 0))})
          </span>{' '}
          and their earlier versions will be permanently deleted. This can’t be undone.
        </>
      )
    }
    act="Delete"
    after={after}
    onConfirm={() => files && onConfirm(files)}
    onClose={onClose}
  />
);

/** Asks before everything in the trash is deleted for good. */
export const EmptyDialog = ({
  open,
  after,
  onConfirm,
  onClose,
}: Pick<Props, 'after' | 'onClose'> & { open: boolean; onConfirm: () => void }) => (
  <ConfirmDialog
    open={open}
    title="Empty trash"
    text="All files in the trash will be permanently deleted. This can’t be undone."
    act="Empty trash"
    after={after}
    onConfirm={onConfirm}
    onClose={onClose}
  />
);

/** Asks whether a file whose path is taken is restored under another name. */
export const RenameDialog = ({ file, after, onConfirm, onClose }: Props) => (
  <ConfirmDialog
    open={file !== null}
    isHarmless
    title="Restore under another name"
    text={
      file && (
        <>
          Another file is at <Subject>{file.path}</Subject> now. The restored file gets a number.
        </>
      )
    }
    act="Restore"
    after={after}
    onConfirm={() => file && onConfirm(file)}
    onClose={onClose}
  />
);

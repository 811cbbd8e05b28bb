import type { ReactNode, RefObject } from 'react';
import { count, formatBytes } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';

type Props = {
  /** Null while the dialog is closed. */
  files: RemovedFileWire[] | null;
  /** Gets the focus after a row has been removed. */
  after?: RefObject<HTMLElement | null>;
  onConfirm: (files: RemovedFileWire[]) => void;
  onClose: () => void;
};

/** Asks before files of the trash are deleted for good. */
export const PurgeDialog = ({ files, after, onConfirm, onClose }: Props) => (
  <ConfirmDialog
    open={files !== null}
    title="Delete permanently"
    text={
      files && (
        <>
          <FilesSubject files={files} /> and {files.length === 1 ? 'its' : 'their'} earlier versions
          will be permanently deleted. This can’t be undone.
        </>
      )
    }
    act="Delete"
    after={after}
    onConfirm={() => files && onConfirm(files)}
    onClose={onClose}
  />
);

/** Asks before an earlier version of a file is deleted for good. */
export const PurgeVersionDialog = ({
  files,
  date,
  onConfirm,
  onClose,
}: Props & { date: ReactNode }) => (
  <ConfirmDialog
    open={files !== null}
    title="Delete version"
    text={
      files && (
        <>
          The version of {date} of <FilesSubject files={files} /> will be permanently deleted. The
          current file stays.
        </>
      )
    }
    act="Delete"
    onConfirm={() => files && onConfirm(files)}
    onClose={onClose}
  />
);

/** The name of a file, or how many there are, with their size. */
function FilesSubject({ files }: { files: RemovedFileWire[] }) {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const [file] = files;
  return (
    <>
      <Subject>{file && files.length === 1 ? file.name : count(files.length, 'file')}</Subject>{' '}
      <span className="numbers whitespace-nowrap">({formatBytes(bytes)})</span>
    </>
  );
}

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

/** Asks whether files whose paths are taken are restored under other names. */
export const RenameDialog = ({ files, after, onConfirm, onClose }: Props) => (
  <ConfirmDialog
    open={files !== null}
    isHarmless
    title={files && files.length > 1 ? 'Restore under other names' : 'Restore under another name'}
    text={files && <RenameText files={files} />}
    act="Restore"
    after={after}
    onConfirm={() => files && onConfirm(files)}
    onClose={onClose}
  />
);

function RenameText({ files }: { files: RemovedFileWire[] }) {
  const [file] = files;
  if (file && files.length === 1) {
    return (
      <>
        Another file is at <Subject>{file.path}</Subject> now. The restored file gets a number.
      </>
    );
  }
  return (
    <>
      Other files are at the paths of <Subject>{count(files.length, 'file')}</Subject> now. The
      restored files get numbers.
    </>
  );
}

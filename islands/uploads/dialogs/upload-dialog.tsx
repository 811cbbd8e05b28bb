import type { ReactNode } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import type { useBatch } from '../queue/upload-manager.ts';
import { UploadLine } from '../queue/upload-progress.tsx';
import type { FileRules } from './upload-rules.ts';

/** What the upload dialogs share: the uploads in progress, and Cancel and Upload. */
export function UploadDialog(props: {
  title: string;
  text: string;
  open: boolean;
  /** The uploads in progress. There are none while the user selects files. */
  batch: ReturnType<typeof useBatch>;
  /** 'Upload' was pressed, but the upload can't start yet. */
  isWaiting?: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}) {
  const { rows, isBusy, leave } = props.batch;
  return (
    <Dialog
      open={props.open}
      locked={isBusy}
      title={props.title}
      text={props.text}
      onClose={props.onClose}
    >
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) props.onSubmit();
        }}
      >
        {isBusy ? (
          <ul aria-label="Uploads">
            {rows.map((row) => (
              <UploadLine key={row.id} row={row} />
            ))}
          </ul>
        ) : (
          props.children
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {isBusy && (
            <Button className="btn-ghost mr-auto -ml-4 max-sm:mx-0 max-sm:w-full" onClick={leave}>
              Continue in background
            </Button>
          )}
          <Button className="btn-ghost" disabled={isBusy} onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" className="btn-primary" pending={isBusy || props.isWaiting}>
            Upload
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The props of the upload dialogs. */
export type DialogProps = {
  bucketId: string;
  /** The folder into which the files go; '' for the top. */
  folder: string;
  open: boolean;
  onClose: () => void;
  /** Files that were dropped on the page for this dialog. Every drop is a new array. */
  dropped: File[];
  /** Called after the files of the bucket have changed. */
  onChange: () => unknown;
  /** What the bucket accepts. */
  rules: FileRules;
};

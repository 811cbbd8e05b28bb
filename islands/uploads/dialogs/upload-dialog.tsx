import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import type { FileRules } from './upload-rules.ts';

/** What the upload dialogs share: Cancel and Upload, which closes the dialog, as the tray shows the uploads. */
export function UploadDialog(props: {
  title: string;
  text: string;
  open: boolean;
  /** 'Upload' was pressed, but the upload can't start yet. */
  isWaiting?: boolean;
  /** Another button leads on, so that 'Upload' does not stand out. */
  isSecondary?: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog open={props.open} title={props.title} text={props.text} onClose={props.onClose}>
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        {props.children}
        <DialogButtons>
          <Button className="btn-ghost" onClick={props.onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            className={props.isSecondary ? '' : 'btn-primary'}
            pending={props.isWaiting ?? false}
          >
            Upload
          </Button>
        </DialogButtons>
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

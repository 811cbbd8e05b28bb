import Upload from 'lucide-react/icons/upload';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { UploadProgress } from './upload-progress.tsx';
import type { UploadState } from './use-upload.ts';

/** What both upload dialogs have in common: button, frame, progress, Cancel and Upload. */
export function UploadDialog(props: {
  title: string;
  text: string;
  open: boolean;
  state: UploadState;
  onOpen: () => void;
  onClose: () => void;
  /** Closes while the server still works; the table shows the rest. */
  onLeave: () => void;
  onSubmit: () => void;
  children: ReactNode;
}) {
  const { state } = props;
  const busy = state.phase !== 'idle';
  return (
    <>
      <Button className="btn-primary" onClick={props.onOpen}>
        <Upload size={16} aria-hidden />
        {props.title}
      </Button>
      <Dialog
        open={props.open}
        locked={busy}
        title={props.title}
        text={props.text}
        onClose={props.onClose}
      >
        <form
          noValidate
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            props.onSubmit();
          }}
        >
          <fieldset disabled={busy} className="flex flex-col gap-5">
            {props.children}
          </fieldset>
          <UploadProgress state={state} />
          <div className="flex flex-wrap justify-end gap-2">
            {state.phase === 'processing' && (
              <Button className="btn-ghost mr-auto" onClick={props.onLeave}>
                Continue in background
              </Button>
            )}
            <Button className="btn-ghost" disabled={busy} onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" className="btn-primary" pending={busy}>
              Upload
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

import { type ReactNode, type RefObject, useRef } from 'react';
import { Button } from '../form/button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks once before something is lost. Escape and `keep` change nothing. */
export function ConfirmDialog({
  open,
  title,
  text,
  act,
  keep = 'Cancel',
  isPending = false,
  isHarmless = false,
  after,
  onConfirm,
  onClose,
}: {
  open: boolean;
  title: string;
  /** What will be lost, in numbers where there are any, and what goes on. */
  text: ReactNode;
  /** On the button that does it. */
  act: string;
  /** On the button that does not. */
  keep?: string | undefined;
  isPending?: boolean | undefined;
  /** What is asked loses nothing. */
  isHarmless?: boolean | undefined;
  /** Takes the focus when it was done, where the button that asked goes with what is lost. */
  after?: RefObject<HTMLElement | null> | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const isConfirmed = useRef(false);
  return (
    <Dialog
      open={open}
      locked={isPending}
      title={title}
      text={open ? text : null}
      onClose={() => {
        if (isConfirmed.current) after?.current?.focus({ preventScroll: true });
        isConfirmed.current = false;
        onClose();
      }}
    >
      <div className="flex justify-end gap-2">
        <Button
          className="btn-ghost"
          disabled={isPending}
          onClick={() => {
            isConfirmed.current = false;
            onClose();
          }}
        >
          {keep}
        </Button>
        <Button
          className={isHarmless ? 'btn-primary' : 'btn-error'}
          pending={isPending}
          onClick={() => {
            isConfirmed.current = true;
            onConfirm();
          }}
        >
          {act}
        </Button>
      </div>
    </Dialog>
  );
}

/** The name of what a question is about. */
export const Subject = ({ children }: { children: ReactNode }) => (
  <strong className="font-medium wrap-anywhere text-base-content">{children}</strong>
);

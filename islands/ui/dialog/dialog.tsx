import {
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
} from 'react';
import { Button } from '../form/button.tsx';

/**
 * A modal dialog on the browser's own <dialog>: focus goes in, stays in and comes back. `locked`
 * while leaving would lose something; then Escape does nothing.
 */
export function Dialog({
  open,
  locked = false,
  title,
  text,
  onClose,
  children,
}: {
  open: boolean;
  locked?: boolean;
  title: string;
  text: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);

  // Chromium closes on a second Escape even when the first was refused; this it obeys.
  useEffect(
    () => dialog.current?.setAttribute('closedby', locked ? 'none' : 'closerequest'),
    [locked],
  );

  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      className="m-auto max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg overflow-y-auto rounded-lg border border-base-300 bg-base-200 p-6 text-sm text-base-content shadow-2xl"
      // Closed by `open`, as by every other way: the browser tells of what it has closed itself only
      // after the focus is back, and an Enter that comes before that would open nothing.
      onCancel={(event) => {
        if (!isOwn(event)) return;
        event.preventDefault();
        if (!locked) onClose();
      }}
      // Told late, too: by then it may have been opened again.
      onClose={(event) => {
        if (isOwn(event) && !event.currentTarget.open) onClose();
      }}
    >
      <h2 id={`${id}-title`} className="text-base font-semibold">
        {title}
      </h2>
      <p id={`${id}-text`} className="mt-1 text-pretty text-quiet">
        {text}
      </p>
      {open && <div className="mt-5">{children}</div>}
    </dialog>
  );
}

/** React passes on to an outer dialog what the browser tells only of the one that stands in it. */
export const isOwn = ({ target, currentTarget }: SyntheticEvent) => target === currentTarget;

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

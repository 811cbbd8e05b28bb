import {
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
} from 'react';
import { raiseToasts } from '../../runtime/notify.ts';
import { Button } from '../form/button.tsx';

/**
 * A modal dialog that uses the <dialog> element, which keeps the focus inside and returns it. Escape
 * does nothing while `locked`, because closing would lose something. Its top stays where it is, as a dialog in
 * the middle would move its buttons from under the pointer whenever it grows.
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
    if (open) showModal(dialog.current);
    if (!open) dialog.current?.close();
  }, [open]);

  // Chromium closes on a second Escape even if 'cancel' was prevented. `closedby` prevents that too.
  useEffect(
    () => dialog.current?.setAttribute('closedby', locked ? 'none' : 'closerequest'),
    [locked],
  );

  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      className="mx-auto mt-[8dvh] mb-auto max-h-[calc(92dvh-1rem)] w-[calc(100vw-2rem)] max-w-lg scroll-pb-20 overflow-y-auto rounded-lg border border-base-300 bg-base-200 p-4 text-sm sm:p-6 text-base-content shadow-2xl"
      // `open` closes the dialog in every case. If the browser closed it, its event would come only
      // after the focus is back, and an Enter before that would not open the dialog again.
      onCancel={(event) => {
        if (!isOwn(event)) return;
        event.preventDefault();
        if (!locked) onClose();
      }}
      // The event comes late, and the dialog may be open again by then.
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

/** Opens a dialog, unless it is open. What a toast has just said stays above it. */
export function showModal(dialog: HTMLDialogElement | null) {
  if (!dialog || dialog.open) return;
  dialog.showModal();
  raiseToasts();
}

/** Returns whether an event is the dialog's own. React bubbles those of a dialog inside it, too. */
export const isOwn = ({ target, currentTarget }: SyntheticEvent) => target === currentTarget;

/** Asks for a confirmation before something is lost. Escape and the `keep` button change nothing. */
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
  /** What will be lost, if possible in numbers, and what will continue. */
  text: ReactNode;
  /** The label of the button that confirms. */
  act: string;
  /** The label of the button that cancels. */
  keep?: string | undefined;
  isPending?: boolean | undefined;
  /** The action loses nothing, so its button is not red. */
  isHarmless?: boolean | undefined;
  /** Gets the focus after a confirmation that removes the button which opened the dialog. */
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
      <DialogButtons>
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
      </DialogButtons>
    </Dialog>
  );
}

/** The buttons at the end of a dialog. They stay in view while a long dialog scrolls, whose content fades above them. */
export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className="sticky -bottom-4 z-20 -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 bg-base-200 px-4 pb-4 before:pointer-events-none before:absolute before:inset-x-0 before:-top-4 before:h-4 before:bg-linear-to-t before:from-base-200 before:to-transparent max-sm:[&_.btn]:px-3 sm:-bottom-6 sm:-mx-6 sm:-mb-6 sm:px-6 sm:pb-6">
    {children}
  </div>
);

/** The name of what the dialog is about. */
export const Subject = ({ children }: { children: ReactNode }) => (
  <strong className="font-medium wrap-anywhere text-base-content">{children}</strong>
);

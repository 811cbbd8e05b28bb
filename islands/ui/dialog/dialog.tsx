import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';

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

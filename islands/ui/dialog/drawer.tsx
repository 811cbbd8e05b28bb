import type { LucideIcon } from 'lucide-react';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import X from 'lucide-react/icons/x';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { areShortcutsOff } from '../../page/shortcuts.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { CopyButton } from '../copy-button.tsx';
import { ErrorState } from '../states.tsx';
import type { Neighbours } from '../use-opened.ts';
import { isOwn, showModal } from './dialog.tsx';

/**
 * A panel at the right that uses the <dialog> element, which keeps the focus inside and returns it.
 * Escape and a click outside close it, and J and K open what comes after and before.
 */
export function Drawer({
  open,
  title,
  neighbours,
  onClose,
  children,
}: {
  open: boolean;
  title: string;
  neighbours?: Neighbours | undefined;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    dialog.current?.setAttribute('closedby', 'any');
    if (open) showModal(dialog.current);
    if (!open) dialog.current?.close();
  }, [open]);

  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className="drawer m-0 ml-auto h-dvh max-h-none w-full max-w-[30rem] overflow-y-auto border-l border-base-300 bg-base-200 text-sm text-base-content shadow-2xl"
      onKeyDown={(event) => {
        const step = neighbours && stepOf(event, neighbours);
        if (!step) return;
        event.preventDefault();
        step();
      }}
      // `open` closes the drawer in every case. If the browser closed it, its event would come after the
      // next click or key, and going back that late would cancel the navigation of a link.
      onCancel={(event) => {
        if (!isOwn(event)) return;
        event.preventDefault();
        onClose();
      }}
      // The event comes late, and the drawer may be open again by then.
      onClose={(event) => {
        if (isOwn(event) && !event.currentTarget.open) onClose();
      }}
    >
      <div className="sticky top-0 z-10 flex items-center gap-3 border-b border-base-300 bg-base-200 py-2 pr-2 pl-5">
        <h2 id={id} className="min-w-0 grow truncate text-base font-semibold" title={title}>
          {title}
        </h2>
        {neighbours && (
          <span className="flex">
            <StepButton label="Previous" shortcut="K" Icon={ChevronUp} step={neighbours.previous} />
            <StepButton label="Next" shortcut="J" Icon={ChevronDown} step={neighbours.next} />
          </span>
        )}
        <button
          type="button"
          className="btn btn-ghost btn-square btn-sm"
          aria-label="Close"
          onClick={onClose}
        >
          <X size={16} aria-hidden />
        </button>
      </div>
      {open && children}
    </dialog>
  );
}

const TYPED_INTO = 'input, textarea, select, [contenteditable], [role=menu], media-controller';

/** Returns what a key opens; null where it is meant for something else. */
function stepOf(event: KeyboardEvent, { previous, next }: Neighbours): (() => void) | null {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isMeant = target instanceof Element && isOwnKey(event) && !target.closest(TYPED_INTO);
  if (!isMeant || ctrlKey || metaKey || altKey || areShortcutsOff()) return null;
  return key === 'j' ? next : key === 'k' ? previous : null;
}

/** Whether a key was pressed in the drawer itself, and not in a dialog above it. */
const isOwnKey = ({ target, currentTarget }: KeyboardEvent) =>
  target instanceof Element && target.closest('dialog') === currentTarget;

function StepButton({
  label,
  shortcut,
  Icon,
  step,
}: {
  label: string;
  shortcut: string;
  Icon: LucideIcon;
  step: (() => void) | null;
}) {
  return (
    <button
      type="button"
      className="btn btn-ghost btn-square btn-sm"
      aria-label={label}
      aria-keyshortcuts={shortcut}
      title={`${label} (${shortcut})`}
      // It keeps the focus at the end of the list.
      aria-disabled={step === null}
      onClick={() => step?.()}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

/** A drawer for details that are loaded when it opens. `preview` is a placeholder above their text. */
export function DetailDrawer<Detail>({
  open,
  title,
  what,
  detail: { data, error, refetch },
  preview,
  neighbours,
  onClose,
  children,
}: {
  open: boolean;
  title: string;
  /** What the details are about, such as 'bucket'. */
  what: string;
  detail: { data: Detail | undefined; error: Error | null; refetch: () => unknown };
  preview?: ReactNode;
  neighbours?: Neighbours;
  onClose: () => void;
  children: (detail: Detail) => ReactNode;
}) {
  const isDeleted = error instanceof ApiError && error.status === 404;
  return (
    <Drawer open={open} title={title} neighbours={neighbours} onClose={onClose}>
      {isDeleted ? (
        <p role="alert" className="p-5 text-quiet">
          {what.charAt(0).toUpperCase() + what.slice(1)} not found. It may have been deleted.
        </p>
      ) : data ? (
        <div className="flex flex-col gap-6 p-5">{children(data)}</div>
      ) : error ? (
        <div className="p-5">
          <ErrorState tried={`The ${what} could not be loaded.`} onRetry={() => refetch()} />
        </div>
      ) : (
        <div role="status" aria-label={`Loading the ${what}`} className="flex flex-col gap-6 p-5">
          {preview}
          <div className="flex flex-col gap-3">
            <div className="skeleton h-4 w-full" />
            <div className="skeleton h-4 w-2/3" />
            <div className="skeleton h-4 w-3/4" />
          </div>
        </div>
      )}
    </Drawer>
  );
}

/** A list of properties, one line each. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-2.5 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** A code to compare or copy, shown in full, with a copy button. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="relative top-px min-w-0 grow font-mono text-xs wrap-anywhere">{text}</code>
      <span className="-my-1.5 max-sm:-my-2.5">
        <CopyButton text={text} label={label} />
      </span>
    </span>
  );
}

import { toast } from 'sonner';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError, CancelledError } from './api-error.ts';
import { COPIED_EVENT, type CopiedDetail } from './page-events.ts';

const SUCCESS_MS = 2_000;
const ERROR_MS = 4_000;
/** For so long an action can be undone from its toast. */
const UNDO_MS = 8_000;

export const TOASTS_ID = 'toasts';

/** The errors that may still be shown. */
const errorIds = new Set<number | string>();

/** Shows toasts, for the durations of the specification. */
export const notify = {
  /** `details` is a second line, which takes as long to read as an error. */
  success: (text: string, details?: string) => {
    raiseToasts();
    toast.success(text, { duration: details ? ERROR_MS : SUCCESS_MS, description: details });
  },
  /** Offers to undo what was done. */
  undoable: (text: string, onUndo: () => void) => {
    raiseToasts();
    toast.success(text, { duration: UNDO_MS, action: { label: 'Undo', onClick: onUndo } });
  },
  error: (text: string) => {
    raiseToasts();
    const forget = ({ id }: { id: number | string }) => errorIds.delete(id);
    errorIds.add(toast.error(text, { duration: ERROR_MS, onAutoClose: forget, onDismiss: forget }));
  },
  /** Removes the errors, whose cause is mended, or is tried again. */
  dismissErrors: () => {
    for (const id of errorIds) toast.dismiss(id);
    errorIds.clear();
  },
  failure: (error: unknown) => {
    if (error instanceof CancelledError) return;
    notify.error(error instanceof ApiError ? error.message : MESSAGES.unexpected);
  },
};

/** Raises the toasts above an open dialog, which covers everything but later popovers. */
export function raiseToasts() {
  const toaster = document.getElementById(TOASTS_ID);
  toaster?.hidePopover();
  toaster?.showPopover();
}

/** Shows a toast for every copy event. */
export function startCopyToasts() {
  document.addEventListener(COPIED_EVENT, (event) => {
    event.preventDefault();
    const { copied, message } = (event as CustomEvent<CopiedDetail>).detail;
    if (copied) notify.success(message);
    else notify.error(message);
  });
}

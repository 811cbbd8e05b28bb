import type { toast } from 'sonner';
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

type Toasts = typeof toast;

/** Loads the library of the toasts with their place on the page; see hydrate.ts. */
let loadToasts: () => Promise<Toasts> = () => Promise.reject(new Error('Toasts have no place.'));
/** The library, once a toast or the user has asked for it. */
let loading: Promise<Toasts> | null = null;

export function setToastLoader(load: () => Promise<Toasts>) {
  loadToasts = load;
}

/** Loads the toasts before there is one. */
export function preloadToasts() {
  loading = loadToasts();
  loading.catch(() => {});
}

/** Shows something as soon as the library is there; toasts stay in their order. */
function show(act: (toast: Toasts) => void) {
  preloadToasts();
  loading
    ?.then((toast) => {
      raiseToasts();
      act(toast);
    })
    .catch(() => {
      // Without a connection they can't be loaded, and nothing could be shown.
    });
}

/** Shows toasts, for the durations of the specification. */
export const notify = {
  /** `details` is a second line, which takes as long to read as an error. */
  success: (text: string, details?: string) => {
    const options = { duration: details ? ERROR_MS : SUCCESS_MS, description: details };
    show((toast) => toast.success(text, options));
  },
  /** Offers to undo what was done. */
  undoable: (text: string, onUndo: () => void) => {
    const action = { label: 'Undo', onClick: onUndo };
    show((toast) => toast.success(text, { duration: UNDO_MS, action }));
  },
  error: (text: string) => {
    const forget = ({ id }: { id: number | string }) => errorIds.delete(id);
    const options = { duration: ERROR_MS, onAutoClose: forget, onDismiss: forget };
    show((toast) => errorIds.add(toast.error(text, options)));
  },
  /** Removes the errors, whose cause is mended, or is tried again. */
  dismissErrors: () => {
    loading
      ?.then((toast) => {
        for (const id of errorIds) toast.dismiss(id);
        errorIds.clear();
      })
      .catch(() => {});
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

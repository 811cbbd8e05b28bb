import { toast } from 'sonner';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError } from './api-error.ts';
import { COPIED_EVENT, type CopiedDetail } from './page-events.ts';

const SUCCESS_MS = 2_000;
const ERROR_MS = 4_000;

export const TOASTS_ID = 'toasts';

/** Toasts, as long as the specification says. */
export const notify = {
  /** Neither a success nor a failure: it stays as long as the toaster has it. */
  info: (text: string) => {
    raise();
    toast(text);
  },
  success: (text: string) => {
    raise();
    toast.success(text, { duration: SUCCESS_MS });
  },
  error: (text: string) => {
    raise();
    toast.error(text, { duration: ERROR_MS });
  },
  failure: (error: unknown) =>
    notify.error(error instanceof ApiError ? error.message : MESSAGES.unexpected),
};

/** An open dialog covers everything; what is shown as a popover after it stands above it. */
function raise() {
  const place = document.getElementById(TOASTS_ID);
  place?.hidePopover();
  place?.showPopover();
}

/** Shows a toast for each copy button that was pressed. */
export function startCopyToasts() {
  document.addEventListener(COPIED_EVENT, (event) => {
    event.preventDefault();
    const { copied, message } = (event as CustomEvent<CopiedDetail>).detail;
    if (copied) notify.success(message);
    else notify.error(message);
  });
}

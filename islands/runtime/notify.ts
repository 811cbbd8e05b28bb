import { toast } from 'sonner';
import { MESSAGES } from '../../server/contract/messages.ts';
import { ApiError } from './api-error.ts';

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

import { toast } from 'sonner';
import { MESSAGES } from '../server/contract/messages.ts';
import { ApiFailure } from './failure.ts';

const SUCCESS_MS = 2_000;
const ERROR_MS = 4_000;

/** Toasts, as long as the specification says. */
export const notify = {
  success: (text: string) => void toast.success(text, { duration: SUCCESS_MS }),
  error: (text: string) => void toast.error(text, { duration: ERROR_MS }),
  failure: (error: unknown) =>
    notify.error(error instanceof ApiFailure ? error.message : MESSAGES.unexpected),
};

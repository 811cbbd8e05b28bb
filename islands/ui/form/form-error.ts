import { useState } from 'react';
import { ApiError } from '../../runtime/api-error.ts';
import { notify } from '../../runtime/notify.ts';

/** What a form's error needs of the mutation that sends it. */
export type Sending = { error: Error | null; reset: () => void };

const NOT_SENT: Sending = { error: null, reset: () => {} };

/**
 * What is wrong with a form, for the field that it concerns: what the page has found before it sent the
 * form, or why the server has refused it. A toast says the same for a moment. `clear` is for a change of
 * the form: both go when their cause may be mended.
 */
export function useFormError(sending: Sending = NOT_SENT) {
  const [problem, setProblem] = useState<string | null>(null);
  const error = problem ?? refusalOf(sending.error);
  return {
    error,
    report(text: string) {
      setProblem(text);
      notify.dismissErrors();
      notify.error(text);
    },
    clear() {
      if (error === null) return;
      setProblem(null);
      sending.reset();
      notify.dismissErrors();
    },
  };
}

/** Returns why the server has refused a form. Other failures do not concern a field. */
function refusalOf(error: Error | null): string | null {
  const isRefusal = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return isRefusal ? error.message : null;
}

import { ApiError } from './api-error.ts';

/** Asks for the password. Rejects with CancelledError if the user closes the dialog. */
type Prompt = () => Promise<void>;

let prompt: Prompt | null = null;
let pending: Promise<void> | null = null;

/** Sets what asks for the password. The page's entry does, as the dialog itself makes calls. */
export function setPasswordPrompt(newPrompt: Prompt | null) {
  prompt = newPrompt;
}

/**
 * Runs a call, and if the server wants the password first, asks for it and runs the call again.
 * Calls that are refused at the same time share one dialog.
 */
export async function withPassword<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const isRefused = error instanceof ApiError && error.details.code === 'password-required';
    if (!isRefused || !prompt) throw error;
    pending ??= prompt().finally(() => {
      pending = null;
    });
    await pending;
    return run();
  }
}

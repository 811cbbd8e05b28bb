import { MESSAGES } from '../../server/contract/messages.ts';
import { COPIED_EVENT, type CopiedDetail } from '../runtime/page-events.ts';

const TICK_DURATION_MS = 1_000;

/**
 * Makes buttons copy the value of their `data-copy` and show a tick for a second. `data-copy-said`
 * replaces the usual message.
 */
export function listenForCopies() {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
    if (button) void copyFrom(button, button.dataset.copy ?? '');
  });
}

/** Copies a text for a button and shows the outcome, unless loading the text has failed. */
export async function copyFrom(button: HTMLElement, text: string | Promise<string>) {
  const outcome = await copyText(text);
  const isLoaded = await Promise.resolve(text).then(
    () => true,
    () => false,
  );
  if (!isLoaded) return;
  const { copySaid } = button.dataset;
  announce(button, outcome.copied && copySaid ? { ...outcome, message: copySaid } : outcome);
  if (!outcome.copied) return;
  button.dataset.copied = '';
  setTimeout(() => delete button.dataset.copied, TICK_DURATION_MS);
}

/** Announces a copy in a toast, or on a page without toasts only to screen readers, who see no tick. */
function announce(button: HTMLElement, detail: CopiedDetail) {
  const event = new CustomEvent<CopiedDetail>(COPIED_EVENT, { detail, cancelable: true });
  if (!document.dispatchEvent(event)) return;
  const status = button.querySelector('[role=status]');
  if (status) status.textContent = detail.message;
}

/**
 * Copies a text to the clipboard, which on plain http exists for localhost only.
 * @returns whether it worked, and the specification's message for that
 */
export async function copyText(
  text: string | Promise<string>,
): Promise<{ copied: boolean; message: string }> {
  if (text === '') return { copied: false, message: MESSAGES.nothingToCopy };
  try {
    await writeClipboard(text);
    return { copied: true, message: MESSAGES.copied };
  } catch {
    return { copied: false, message: MESSAGES.copyFailed };
  }
}

/**
 * Safari lets a click write to the clipboard only at once. A text that is still loading is therefore
 * passed as a promise.
 */
function writeClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  const type = 'text/plain';
  const blob = text.then((loaded) => new Blob([loaded], { type }));
  return navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}

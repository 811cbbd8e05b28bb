import { MESSAGES } from '../../server/contract/messages.ts';
import { COPIED_EVENT, type CopiedDetail } from '../runtime/page-events.ts';

const TICK_MS = 1_000;

/**
 * Buttons with `data-copy` copy what it holds, and show for a second that they did. `data-copy-said`
 * is said instead of the usual words.
 */
export function listenForCopies() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
    if (!button) return;
    const outcome = await copyText(button.dataset.copy ?? '');
    const { copySaid } = button.dataset;
    tell(button, outcome.copied && copySaid ? { ...outcome, message: copySaid } : outcome);
    if (!outcome.copied) return;
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, TICK_MS);
  });
}

/** By a toast where the page has them, else to screen readers only, who don't see the tick. */
function tell(button: HTMLElement, detail: CopiedDetail) {
  const event = new CustomEvent<CopiedDetail>(COPIED_EVENT, { detail, cancelable: true });
  if (!document.dispatchEvent(event)) return;
  const status = button.querySelector('[role=status]');
  if (status) status.textContent = detail.message;
}

/**
 * Puts text into the clipboard. Says, in the specification's words, how it went. Browsers have no
 * clipboard on plain http, but for localhost.
 */
export async function copyText(text: string): Promise<{ copied: boolean; message: string }> {
  if (text === '') return { copied: false, message: MESSAGES.nothingToCopy };
  try {
    await navigator.clipboard.writeText(text);
    return { copied: true, message: MESSAGES.copied };
  } catch {
    return { copied: false, message: MESSAGES.copyFailed };
  }
}

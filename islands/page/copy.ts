import { copyText } from '../clipboard.ts';

const TICK_MS = 1_000;

/** Buttons with `data-copy` copy what it holds, and show for a second that they did. */
export function listenForCopies() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
    if (!button) return;
    const { copied, message } = await copyText(button.dataset.copy ?? '');
    const status = button.querySelector('[role=status]');
    if (status) status.textContent = message;
    if (!copied) return;
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, TICK_MS);
  });
}

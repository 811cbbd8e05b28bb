import { SECOND } from '../../server/contract/limits.ts';
import { takeFlashMessage } from '../runtime/flash-message.ts';

const NOTICE_MS = 10 * SECOND;

/**
 * Shows the previous page's message on a page without islands, such as the landing page. Pages with
 * islands show it as a toast.
 */
export function showFlashNotice() {
  if (document.querySelector('[data-island]:not([data-lazy])')) return;
  const message = takeFlashMessage();
  if (!message) return;
  const notice = document.createElement('p');
  notice.role = 'status';
  notice.className =
    'fixed inset-x-4 bottom-4 z-50 rounded-lg border border-base-300 bg-base-200 px-4 py-3 text-sm text-base-content shadow-2xl sm:left-auto sm:w-88';
  document.body.append(notice);
  // A screen reader announces what changes in a status, not what it contains from the beginning.
  requestAnimationFrame(() => {
    notice.textContent = message.text;
  });
  setTimeout(() => notice.remove(), NOTICE_MS);
}

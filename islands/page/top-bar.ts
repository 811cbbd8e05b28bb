import { MESSAGES } from '../../server/contract/messages.ts';
import { formatBalance } from '../../server/contract/money.ts';
import {
  BALANCE_EVENT,
  CHANGED_EVENT,
  CONNECTION_EVENT,
  CONTENT_EVENT,
  type ConnectionState,
  LOGOUT_EVENT,
} from '../runtime/page-events.ts';
import { endSession, isExpired, readAuth } from '../runtime/session.ts';
import { showShortcuts } from './shortcuts.ts';

/** Handles the buttons of the top bar, and those that print the page. */
export function listenForActions() {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    if (button?.dataset.action === 'logout') {
      const mayGo = document.dispatchEvent(new Event(LOGOUT_EVENT, { cancelable: true }));
      if (mayGo) void endSession('/');
    }
    if (button?.dataset.action === 'print') window.print();
    if (button?.dataset.action === 'shortcuts') {
      button.closest<HTMLElement>('[popover]')?.hidePopover();
      showShortcuts();
    }
  });
}

/**
 * Keeps the balance in the top bar up to date: loads it immediately, after every call that has changed
 * something, and when a lost connection is back. Without a session it loads nothing.
 */
export function watchBalance() {
  const { viewer } = document.documentElement.dataset;
  // The document may show several pages in turn, each with a bar of its own.
  const elements = () => document.querySelectorAll('[data-balance]');
  if (!viewer || elements().length === 0) return;

  let isLeaving = false;
  const show = (credit: number | null) => {
    const text = credit === null ? MESSAGES.noBalance : formatBalance(credit);
    for (const element of elements()) if (element.textContent !== text) element.textContent = text;
  };
  const load = async () => {
    const auth = readAuth();
    if (!auth.access || auth.userId !== viewer || isExpired(auth, Date.now())) return;
    const credit = await loadCredit(auth.access);
    if (!isLeaving) show(credit);
  };

  // Leaving the page cancels the request, which must not show as an error.
  window.addEventListener('pagehide', () => {
    isLeaving = true;
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    isLeaving = false;
    if (persisted) void load();
  });
  document.addEventListener(BALANCE_EVENT, (event) => {
    show((event as CustomEvent<number | null>).detail);
  });
  document.addEventListener(CHANGED_EVENT, () => void load());
  document.addEventListener(CONTENT_EVENT, () => void load());
  window.addEventListener('online', () => void load());
  // The socket also says that it is up when it opens first, which is no reason to load twice.
  let link: ConnectionState = 'up';
  document.addEventListener(CONNECTION_EVENT, (event) => {
    const wasDown = link === 'down';
    link = (event as CustomEvent<ConnectionState>).detail;
    if (wasDown && link === 'up') void load();
  });
  void load();
}

async function loadCredit(token: string): Promise<number | null> {
  try {
    const response = await fetch('/users/balance', {
      headers: { authorization: `Bearer ${token}` },
    });
    const { credit } = (await response.json()) as { credit: unknown };
    return response.ok && typeof credit === 'number' ? credit : null;
  } catch {
    return null;
  }
}

/** Updates the user's email address in the top bar, which was rendered with the page. */
export function showAccountLabel(email: string) {
  for (const element of document.querySelectorAll('[data-viewer-email]'))
    element.textContent = email;
  for (const element of document.querySelectorAll('[data-viewer-initial]'))
    element.textContent = email.charAt(0);
}

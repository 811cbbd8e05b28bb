import { endSession } from '../runtime/session.ts';
import { LOGOUT_EVENT } from './page-events.ts';
import { showShortcuts } from './shortcuts.ts';

/** The bar's buttons. */
export function listenForActions() {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    if (button?.dataset.action === 'logout') {
      const mayGo = document.dispatchEvent(new Event(LOGOUT_EVENT, { cancelable: true }));
      if (mayGo) void endSession('/');
    }
    if (button?.dataset.action === 'shortcuts') {
      button.closest<HTMLElement>('[popover]')?.hidePopover();
      showShortcuts();
    }
  });
}

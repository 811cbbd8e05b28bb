import type { ReplayHandler } from './event-replay.ts';

/**
 * Buttons, forms, and right clicks on what has `data-context-menu`, as its island answers them. It
 * runs from the page's head, as text.
 */
export function replayPresses({ keep }: ReplayHandler) {
  window.addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Element)) return;
      const control = event.target.closest<HTMLElement>(
        'button, input[type=submit], a[href], label',
      );
      if (!control?.matches('button:not([popovertarget]), input')) return;
      keep(event, control, (button) => button.click());
    },
    true,
  );
  window.addEventListener(
    'contextmenu',
    (event) => {
      if (!(event.target instanceof Element)) return;
      const { clientX, clientY, button } = event;
      // The browser's own menu is wanted on what was marked to be copied.
      if (getSelection()?.type === 'Range') return;
      keep(event, event.target.closest<HTMLElement>('[data-context-menu]'), (target) => {
        const options = { clientX, clientY, button, bubbles: true, cancelable: true };
        target.dispatchEvent(new MouseEvent('contextmenu', options));
      });
    },
    true,
  );
  window.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event;
      keep(event, event.target as HTMLFormElement, (form) =>
        (form as HTMLFormElement).requestSubmit(submitter),
      );
    },
    true,
  );
}

import type { ReplayHandler } from './event-replay.ts';

/**
 * Keys that an island answers: Enter in its fields, and inside an element those that `data-keys`
 * names; and the shortcuts of every page. It runs from the page's head, as text.
 */
export function replayKeys({ pageKeys, placeOf, keep, keepEach }: ReplayHandler) {
  const page = document.documentElement;

  const press = (target: Element, options: KeyboardEventInit) =>
    target.dispatchEvent(
      new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...options }),
    );

  // Enter in a field of a form submits that; elsewhere it belongs to the island.
  const keepEnter = (event: KeyboardEvent, field: Element) => {
    if (field instanceof HTMLInputElement && !field.form) {
      keep(event, field, () => press(field, { key: 'Enter' }));
    }
  };

  /** The island or the page that answers a key, where it does not yet. */
  const answererOf = (target: Element, key: string) => {
    const keys = target.closest<HTMLElement>('[data-keys]');
    if (keys?.dataset.keys?.split(' ').includes(key)) return placeOf(keys);
    const isTyping = target.matches('input, textarea, select, [contenteditable]');
    if (isTyping || page.dataset.live !== undefined || !pageKeys.includes(key)) return null;
    return page;
  };

  window.addEventListener(
    'keydown',
    (event) => {
      const { key, shiftKey, target } = event;
      if (!(target instanceof Element) || event.isComposing) return;
      if (key === 'Enter') return keepEnter(event, target);
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = answererOf(target, key);
      if (!place) return;
      // What came before it may have moved the focus, from row to row or into the search.
      keepEach(event, place, () => {
        const focused = document.activeElement;
        if (focused && place.contains(focused)) press(focused, { key, shiftKey });
      });
    },
    true,
  );
}

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

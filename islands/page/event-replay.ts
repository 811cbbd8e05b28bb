/** What the listeners for presses and for keys get; `pageKeys` are those that the page's script answers. */
type ReplayHandler = {
  pageKeys: readonly string[];
  /** What a press waits for: the island around its target, or the page's script; null for nothing. */
  placeOf: (target: HTMLElement) => HTMLElement | null;
  /** Keeps a press until the place of its target is alive, and once where it is repeated. */
  keep: (event: Event, target: HTMLElement | null, again: (target: HTMLElement) => void) => void;
  /** Keeps one of several that count each. */
  keepEach: (event: Event, place: HTMLElement, again: () => void) => void;
};

/**
 * Keeps what is pressed before its script is there, and does it again when that is alive: a form
 * would otherwise be submitted by the browser, which reloads the page, and a button would do
 * nothing. Links and fields work by themselves, and so does what opens a popover. In an island it
 * waits for that island; the bar's buttons, those that copy, and shortcuts for the script of every
 * page.
 *
 * It runs from the page's head, written there as text, as do the listeners: none of them can use
 * anything from outside itself.
 * @param alive the event that an island tells on its own element, and the page's script on the
 *   document's, once it answers; either has `data-live` by then
 * @param pageKeys the keys that the page's script answers where nobody types
 */
export function replayEarlyEvents(
  alive: string,
  pageKeys: readonly string[],
  listeners: readonly ((keeper: ReplayHandler) => void)[],
) {
  const waiting: { place: HTMLElement; target: HTMLElement | null; again: () => void }[] = [];
  const page = document.documentElement;

  const placeOf = (target: HTMLElement) => {
    const island = target.closest<HTMLElement>('[data-island]:not([data-live])');
    if (island) return island;
    const isOfPage = target.matches('[data-action], [data-theme-choice], [data-copy]');
    return isOfPage && page.dataset.live === undefined ? page : null;
  };

  const stop = (event: Event, place: HTMLElement) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    place.dataset.waiting = '';
  };

  const keeper: ReplayHandler = {
    pageKeys,
    placeOf,
    keep(event, target, again) {
      const place = target && placeOf(target);
      if (!place) return;
      stop(event, place);
      // Who sees nothing happen presses again, and means it once.
      if (waiting.some((act) => act.target === target)) return;
      waiting.push({ place, target, again: () => again(target) });
    },
    keepEach(event, place, again) {
      stop(event, place);
      waiting.push({ place, target: null, again });
    },
  };
  for (const listen of listeners) listen(keeper);

  document.addEventListener(alive, ({ target }) => {
    const place = target as HTMLElement;
    delete place.dataset.waiting;
    // It has heard nothing of the focus that came before it.
    const focused = place === page ? null : document.activeElement;
    if (focused && place.contains(focused)) {
      focused.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    }
    for (const act of waiting.filter((one) => one.place === place)) {
      waiting.splice(waiting.indexOf(act), 1);
      // An island's one at a time: what the first changes is shown before the next comes. The page's
      // at once, before any key that is pressed from now on.
      if (place === page) act.again();
      else setTimeout(act.again);
    }
  });
}

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

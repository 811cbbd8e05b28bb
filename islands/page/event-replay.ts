/** What the listeners for clicks and keys are given. The page script handles the `pageKeys`. */
type ReplayHandler = {
  pageKeys: readonly string[];
  /** Returns the island, or the root for the page script, that an event waits for; null for none. */
  placeOf: (target: HTMLElement) => HTMLElement | null;
  /** Keeps an event until the place of its target is hydrated. A repeated event is kept once. */
  keep: (event: Event, target: HTMLElement | null, replay: (target: HTMLElement) => void) => void;
  /** Keeps an event even if it is repeated. */
  keepEach: (event: Event, root: HTMLElement, replay: () => void) => void;
};

/**
 * Keeps clicks, keys and submissions that happen before their script has loaded, and replays them
 * afterwards. Without it the browser would submit a form itself, which reloads the page, and buttons
 * would do nothing. Links, fields and popover buttons work without a script. Events in an island wait
 * for that island. The buttons of the top bar, copy buttons and shortcuts wait for the page script.
 *
 * The page has this function and its listeners inline in its head, as text. So none of them may use
 * anything from outside itself.
 * @param hydrated the event that an island dispatches on its element, and the page script on the
 *   root, when they handle events; they have set `data-live` by then
 * @param pageKeys the keys that the page script handles unless the user is typing
 */
export function replayEvents(
  hydrated: string,
  pageKeys: readonly string[],
  listeners: readonly ((keeper: ReplayHandler) => void)[],
) {
  const waiting: { root: HTMLElement; target: HTMLElement | null; replay: () => void }[] = [];
  const page = document.documentElement;

  const placeOf = (target: HTMLElement) => {
    const island = target.closest<HTMLElement>('[data-island]:not([data-live])');
    if (island) return island;
    const isOfPage = target.matches('[data-action], [data-theme-choice], [data-copy]');
    return isOfPage && page.dataset.live === undefined ? page : null;
  };

  const stop = (event: Event, root: HTMLElement) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    root.dataset.waiting = '';
  };

  const keeper: ReplayHandler = {
    pageKeys,
    placeOf,
    keep(event, target, replay) {
      const root = target && placeOf(target);
      if (!root) return;
      stop(event, root);
      // A user who sees no reaction clicks again, but wants the action once.
      if (waiting.some((act) => act.target === target)) return;
      waiting.push({ root, target, replay: () => replay(target) });
    },
    keepEach(event, root, replay) {
      stop(event, root);
      waiting.push({ root, target: null, replay });
    },
  };
  for (const listen of listeners) listen(keeper);

  document.addEventListener(hydrated, ({ target }) => {
    const root = target as HTMLElement;
    delete root.dataset.waiting;
    // The island has not seen a focus event from before its hydration.
    const focused = root === page ? null : document.activeElement;
    if (focused && root.contains(focused)) {
      focused.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    }
    for (const act of waiting.filter((one) => one.root === root)) {
      waiting.splice(waiting.indexOf(act), 1);
      // An island's events are replayed one by one, so that it renders after each. Those of the page
      // are replayed immediately, before any new key.
      if (root === page) act.replay();
      else setTimeout(act.replay);
    }
  });
}

/**
 * Listens for the keys that an island handles: Enter in its fields, and the keys that the `data-keys`
 * of an element lists. It also listens for the shortcuts of every page. It is inline in the page's head.
 */
export function replayKeys({ pageKeys, placeOf, keep, keepEach }: ReplayHandler) {
  const page = document.documentElement;

  const press = (target: Element, options: KeyboardEventInit) =>
    target.dispatchEvent(
      new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...options }),
    );

  // Enter in a field of a form submits the form. In other fields the island handles it.
  const keepEnter = (event: KeyboardEvent, field: Element) => {
    if (field instanceof HTMLInputElement && !field.form) {
      keep(event, field, () => press(field, { key: 'Enter' }));
    }
  };

  /** Returns the island or the root that will handle a key; null if nothing will, or it is ready. */
  const handlerOf = (target: Element, key: string) => {
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
      const root = handlerOf(target, key);
      if (!root) return;
      // An earlier event may have moved the focus, for example to another row.
      keepEach(event, root, () => {
        const focused = document.activeElement;
        if (focused && root.contains(focused)) press(focused, { key, shiftKey });
      });
    },
    true,
  );
}

/**
 * Listens for clicks on buttons, submissions of forms, and right clicks on elements with
 * `data-context-menu`. It is inline in the page's head.
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
      // On selected text the user wants the browser's own menu.
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

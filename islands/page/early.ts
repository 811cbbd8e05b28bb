/**
 * Keeps what is pressed before its script is there, and does it again when that is alive: a form
 * would otherwise be submitted by the browser, which loads the page anew, and a button would do
 * nothing. Links and fields work by themselves, and so does what opens a popover. In an island it
 * waits for that island; the bar's buttons, and those that copy, for the script of every page.
 *
 * It runs from the page's head, written there as text: it can use nothing from outside itself.
 * @param alive the event that an island tells on its own element, and the page's script on the
 *   document's, once it answers; either has `data-live` by then
 */
export function keepEarly(alive: string) {
  const waiting: { place: HTMLElement; target: HTMLElement; again: () => void }[] = [];

  const placeOf = (target: HTMLElement) => {
    const island = target.closest<HTMLElement>('[data-island]:not([data-live])');
    if (island) return island;
    const page = document.documentElement;
    const isOfPage = target.matches('[data-action], [data-theme-choice], [data-copy]');
    return isOfPage && page.dataset.live === undefined ? page : null;
  };

  const keep = (event: Event, target: HTMLElement | null, again: (target: HTMLElement) => void) => {
    const place = target && placeOf(target);
    if (!place) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    place.dataset.waiting = '';
    // Who sees nothing happen presses again, and means it once.
    if (waiting.some((act) => act.target === target)) return;
    waiting.push({ place, target, again: () => again(target) });
  };

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
    'submit',
    (event) => {
      const { submitter } = event;
      keep(event, event.target as HTMLFormElement, (form) =>
        (form as HTMLFormElement).requestSubmit(submitter),
      );
    },
    true,
  );
  // Enter in a field of a form submits that; elsewhere it belongs to the island.
  window.addEventListener(
    'keydown',
    (event) => {
      const field = event.target;
      if (event.key !== 'Enter' || event.isComposing) return;
      if (!(field instanceof HTMLInputElement) || field.form) return;
      keep(event, field, () =>
        field.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }),
        ),
      );
    },
    true,
  );
  document.addEventListener(alive, ({ target }) => {
    const place = target as HTMLElement;
    delete place.dataset.waiting;
    for (const act of waiting.filter((one) => one.place === place)) {
      waiting.splice(waiting.indexOf(act), 1);
      // One at a time: what the first changes is shown before the next comes.
      setTimeout(act.again);
    }
  });
}

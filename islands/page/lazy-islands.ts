import { HYDRATE_EVENT } from '../runtime/page-events.ts';

/**
 * Islands with `data-late` are loaded when somebody points at the button of their panel, moves the
 * focus there, or opens it: pages where nobody does load nothing for them.
 */
export function hydrateLazyIslands() {
  const wakeByButton = ({ target }: { target: EventTarget | null }) => {
    const button = target instanceof Element ? target.closest('[popovertarget]') : null;
    const panel = button && document.getElementById(button.getAttribute('popovertarget') ?? '');
    if (panel) wake(panel);
  };
  document.addEventListener('pointerover', wakeByButton, { passive: true });
  document.addEventListener('focusin', wakeByButton);
  // It does not bubble, but it is captured.
  document.addEventListener('beforetoggle', ({ target }) => wake(target as Element), true);

  // Somebody may have been quicker than this script.
  for (const panel of document.querySelectorAll('[data-late] :popover-open')) wake(panel);
  for (const button of document.querySelectorAll('[popovertarget]:is(:hover, :focus)')) {
    wakeByButton({ target: button });
  }
}

function wake(panel: Element) {
  const place = panel.closest<HTMLElement>('[data-late]');
  if (!place || place.dataset.wanted !== undefined) return;
  place.dataset.wanted = '';
  place.dispatchEvent(new Event(HYDRATE_EVENT));
  import(place.dataset.late ?? '').catch(() => {
    // No answer came: the next one who points at it asks again.
    delete place.dataset.wanted;
  });
}

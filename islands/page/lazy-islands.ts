import { HYDRATE_EVENT } from '../runtime/page-events.ts';

/**
 * Loads an island with `data-lazy` when the user points at the button of its panel, focuses the button
 * or opens the panel. Until then the page loads nothing for it.
 */
export function hydrateLazyIslands() {
  const loadByButton = ({ target }: { target: EventTarget | null }) => {
    const button = target instanceof Element ? target.closest('[popovertarget]') : null;
    const panel = button && document.getElementById(button.getAttribute('popovertarget') ?? '');
    if (panel) load(panel);
  };
  document.addEventListener('pointerover', loadByButton, { passive: true });
  document.addEventListener('focusin', loadByButton);
  // 'beforetoggle' does not bubble, so it is captured.
  document.addEventListener('beforetoggle', ({ target }) => load(target as Element), true);

  // The user may have pointed at the button before this script ran.
  for (const panel of document.querySelectorAll('[data-lazy] :popover-open')) load(panel);
  for (const button of document.querySelectorAll('[popovertarget]:is(:hover, :focus)')) {
    loadByButton({ target: button });
  }
}

function load(panel: Element) {
  const island = panel.closest<HTMLElement>('[data-lazy]');
  if (!island || island.dataset.wanted !== undefined) return;
  island.dataset.wanted = '';
  island.dispatchEvent(new Event(HYDRATE_EVENT));
  import(island.dataset.lazy ?? '').catch(() => {
    // If loading failed, the next event tries again.
    delete island.dataset.wanted;
  });
}

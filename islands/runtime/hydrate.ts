import { type ComponentType, createElement } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Toaster } from 'sonner';
import { takeFlashMessage } from './flash-message.ts';
import { type IslandName, islands } from './manifest.ts';
import { notify, startCopyToasts, TOASTS_ID } from './notify.ts';
import { HYDRATE_EVENT } from './page-events.ts';
import { islandTree, makeQueryClient } from './root.tsx';
import { isSessionEnding } from './session.ts';

const client = makeQueryClient();

async function hydrate(place: HTMLElement) {
  const { island, id } = place.dataset;
  const props = document.querySelector(`script[data-props="${CSS.escape(id ?? '')}"]`);
  const { default: component } = await islands[island as IslandName]();
  const tree = islandTree(
    client,
    component as ComponentType<object>,
    JSON.parse(props?.textContent ?? '{}'),
    place,
  );
  hydrateRoot(place, tree, {
    identifierPrefix: id ?? '',
  });
}

function mountToaster() {
  const place = document.createElement('div');
  place.id = TOASTS_ID;
  place.popover = 'manual';
  document.body.append(place);
  createRoot(place).render(
    createElement(Toaster, { position: 'bottom-right', duration: 10_000, visibleToasts: 20 }),
  );
}

function start() {
  for (const place of document.querySelectorAll<HTMLElement>('[data-island]')) {
    const { late, wanted } = place.dataset;
    if (late === undefined || wanted !== undefined) void hydrate(place);
    else place.addEventListener(HYDRATE_EVENT, () => void hydrate(place), { once: true });
  }
  mountToaster();
  startCopyToasts();
  // A page that is being left keeps the toast for the next page.
  const left = isSessionEnding() ? null : takeFlashMessage();
  if (left) notify[left.kind](left.text);
}

/**
 * Whether the page and its stylesheet are loaded. Measuring an element before that returns wrong
 * numbers, and it ends the view transition from the previous page.
 */
const isReady = () =>
  document.readyState === 'complete' ||
  (document.readyState === 'interactive' &&
    Boolean(document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')?.sheet));

if (isReady()) start();
else {
  const begin = new AbortController();
  const once = () => {
    begin.abort();
    start();
  };
  // If the stylesheet fails to load, 'load' starts the islands without it.
  document.addEventListener('DOMContentLoaded', once, { signal: begin.signal });
  addEventListener('load', once, { signal: begin.signal });
}

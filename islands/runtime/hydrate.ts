import { type ComponentType, createElement } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Toaster } from 'sonner';
import { takeFlashMessage } from './flash-message.ts';
import { type IslandName, islands, loadPasswordDialog } from './manifest.ts';
import { notify, startCopyToasts, TOASTS_ID } from './notify.ts';
import { HYDRATE_EVENT } from './page-events.ts';
import { setPasswordPrompt } from './password-prompt.ts';
import { islandTree, makeQueryClient } from './root.tsx';
import { isSessionEnding } from './session.ts';

const client = makeQueryClient();

async function hydrate(container: HTMLElement) {
  const { island, id } = container.dataset;
  const props = document.querySelector(`script[data-props="${CSS.escape(id ?? '')}"]`);
  const { default: component } = await islands[island as IslandName]();
  const tree = islandTree(
    client,
    component as ComponentType<object>,
    JSON.parse(props?.textContent ?? '{}'),
    container,
  );
  hydrateRoot(container, tree, {
    identifierPrefix: id ?? '',
  });
}

function mountToaster() {
  const container = document.createElement('div');
  container.id = TOASTS_ID;
  container.popover = 'manual';
  document.body.append(container);
  createRoot(container).render(
    createElement(Toaster, { position: 'bottom-right', duration: 10_000, visibleToasts: 20 }),
  );
}

function start() {
  setPasswordPrompt(async () => (await loadPasswordDialog()).promptForPassword(client));
  for (const island of document.querySelectorAll<HTMLElement>('[data-island]')) {
    const { late, wanted } = island.dataset;
    if (late === undefined || wanted !== undefined) void hydrate(island);
    else island.addEventListener(HYDRATE_EVENT, () => void hydrate(island), { once: true });
  }
  mountToaster();
  startCopyToasts();
  // A page that is being left keeps the toast for the next page.
  const message = isSessionEnding() ? null : takeFlashMessage();
  if (message) notify[message.kind](message.text);
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
  const startOnce = () => {
    begin.abort();
    start();
  };
  // If the stylesheet fails to load, 'load' starts the islands without it.
  document.addEventListener('DOMContentLoaded', startOnce, { signal: begin.signal });
  addEventListener('load', startOnce, { signal: begin.signal });
}

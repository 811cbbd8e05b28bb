import type { ComponentType, ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { type IslandName, islands } from './manifest.ts';
import { HYDRATE_EVENT } from './page-events.ts';
import { islandTree, makeQueryClient } from './root.tsx';

/** What all islands of this document have loaded, also those of pages that it has shown before. */
export const client = makeQueryClient();

const roots = new Map<Element, Root>();

/** The code that has been loaded. `import()` would return it too, but only in a later task. */
const components = new Map<string, ComponentType<object>>();

async function loadIsland({ dataset: { island = '' } }: HTMLElement) {
  const { default: component } = await islands[island as IslandName]();
  components.set(island, component as ComponentType<object>);
}

async function start(container: HTMLElement, isFirstPage: boolean) {
  const { island = '', id } = container.dataset;
  const props = document.querySelector(`script[data-props="${CSS.escape(id ?? '')}"]`);
  if (!components.has(island)) await loadIsland(container);
  const component = components.get(island);
  // Another page may be shown by now.
  if (!component || !container.isConnected) return;
  const tree = islandTree(client, component, JSON.parse(props?.textContent ?? '{}'), container);
  const options = { identifierPrefix: id ?? '' };
  if (isFirstPage) roots.set(container, hydrateRoot(container, tree, options));
  else {
    const root = createRoot(container, options);
    roots.set(container, root);
    flushSync(() => root.render(tree));
  }
}

/**
 * Loads the code of an element's islands but the lazy ones, so that `startIslands` starts them before it returns.
 * Until an island of a later page has started, what the user types and clicks there is lost.
 */
export async function loadIslands(within: ParentNode): Promise<void> {
  const islands = within.querySelectorAll<HTMLElement>('[data-island]:not([data-lazy])');
  await Promise.all([...islands].map(loadIsland));
}

/**
 * Starts the islands of an element. Those of the first page are hydrated. Those of later pages are rendered,
 * because React may know data by then that the server's HTML lacks. A lazy one is hydrated when the user is about
 * to use it: until then nobody has loaded anything for it, and rendering would close its open panel.
 */
export function startIslands(within: ParentNode, { isFirstPage }: { isFirstPage: boolean }) {
  for (const island of within.querySelectorAll<HTMLElement>('[data-island]')) {
    const { lazy, wanted } = island.dataset;
    if (lazy === undefined) void start(island, isFirstPage);
    else if (wanted !== undefined) void start(island, true);
    else island.addEventListener(HYDRATE_EVENT, () => void start(island, true), { once: true });
  }
}

/** Ends the islands of elements that are about to be removed, and forgets what only they have loaded. */
export function endIslands(parts: Element[]) {
  for (const [container, root] of roots) {
    if (!parts.some((part) => part.contains(container))) continue;
    roots.delete(container);
    root.unmount();
  }
  client.removeQueries({ type: 'inactive' });
}

/** Adds a tree to the document that stays while pages are shown in it. Returns its element. */
export function mountBesidePages(id: string, node: ReactNode): HTMLElement {
  const container = document.createElement('div');
  container.id = id;
  document.body.append(container);
  const root = createRoot(container);
  // Its effects run at once too, so that it takes part in what happens next.
  flushSync(() => root.render(node));
  return container;
}

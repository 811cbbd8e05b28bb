import { type ComponentType, createContext } from 'react';
import { islands } from '../../../islands/runtime/manifest.ts';

/** What pages are rendered with. */
type Renderer = Awaited<ReturnType<typeof load>>;

let loading: Promise<Renderer> | undefined;

/**
 * Loads React's renderer and every island, once. It takes longer than all else of the server
 * together, so that is not done before it listens: serve.ts begins it then, and pages wait for it.
 */
export const loadRenderer = (): Promise<Renderer> => {
  loading ??= load();
  return loading;
};

async function load() {
  const { renderToReadableStream, renderToString } = await import('react-dom/server');
  const { islandTree, makeQueryClient } = await import('../../../islands/runtime/root.tsx');
  const components = new Map<string, ComponentType<object>>();
  // One after the other: in between, requests are answered.
  for (const [name, loadIsland] of Object.entries(islands)) {
    components.set(name, (await loadIsland()).default as ComponentType<object>);
  }

  return {
    renderToReadableStream,
    /**
     * Renders an island as a tree of its own, as the browser will hydrate it: inside the page's
     * tree `useId` would count differently.
     */
    renderIsland(name: string, identifierPrefix: string, props: object): string {
      const component = components.get(name);
      if (!component) throw new Error(`No island is called ${name}.`);
      return renderToString(islandTree(makeQueryClient(), component, props), { identifierPrefix });
    },
  };
}

type PageFacts = Pick<Renderer, 'renderIsland'> & { nonce: string };

/** What islands need to know of the page they stand in; null outside of one. */
export const PageContext = createContext<PageFacts | null>(null);

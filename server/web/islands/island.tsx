import { type ComponentProps, type ComponentType, createContext, use, useId } from 'react';
import { preloadModule } from 'react-dom';
import { type IslandName, islands } from '../../../islands/runtime/manifest.ts';
import { memoizeAsync } from '../../contract/memoize.ts';
import { assets } from '../assets/assets.ts';
import { jsonForScript, rawHtml } from '../http/raw-html.ts';

type PropsOf<Name extends IslandName> = object &
  ComponentProps<Awaited<ReturnType<(typeof islands)[Name]>>['default']>;

/**
 * An interactive part of a page. Its `props` are sent in the page as JSON.
 * @param props.isLazy whether its scripts are loaded only when the user is about to open its
 *   popover; nothing else of it is visible (islands/page/lazy-islands.ts)
 */
export function Island<Name extends IslandName>({
  name,
  props,
  isLazy = false,
}: {
  name: Name;
  props: PropsOf<Name>;
  isLazy?: boolean;
}) {
  const id = useId();
  const page = use(PageContext);
  if (!page) throw new Error('An island stands in no page.');
  const { nonce, renderIsland } = page;
  const start = assets().url('hydrate.js');
  if (!isLazy) {
    for (const script of scriptsOf(name)) preloadModule(script, { as: 'script', nonce });
  }
  return (
    <>
      {!isLazy && <NoScript />}
      {!isLazy && <script async type="module" src={start} nonce={nonce} />}
      <div
        data-island={name}
        data-id={id}
        data-lazy={isLazy ? start : undefined}
        {...rawHtml(renderIsland(name, id, props))}
      />
      <script type="application/json" data-props={id} {...rawHtml(jsonForScript(props))} />
    </>
  );
}

/** What a page with an island says where scripts are off, as nothing on it would answer then. */
const NoScript = () => (
  <noscript>
    <p className="mx-auto my-4 max-w-xl rounded-md border border-warning p-3 text-center">
      This page needs JavaScript. Turn it on in your browser, then reload the page.
    </p>
  </noscript>
);

const scriptsOf = (name: string) => [
  ...new Set([
    ...assets().imports('hydrate.js'),
    assets().url(`${name}-island.js`),
    ...assets().imports(`${name}-island.js`),
  ]),
];

/** The functions that render pages and islands. */
type Renderer = Awaited<ReturnType<typeof load>>;

/**
 * Loads React's renderer and every island, once. That takes longer than the rest of the start, so
 * serve.ts begins it after the server listens, and pages wait for it.
 */
export const loadRenderer: () => Promise<Renderer> = memoizeAsync(load);

async function load() {
  const { renderToReadableStream, renderToStaticMarkup, renderToString } = await import(
    'react-dom/server'
  );
  const { islandTree, makeQueryClient } = await import('../../../islands/runtime/root.tsx');
  const components = new Map<string, ComponentType<object>>();
  // The islands are loaded one after another, so that requests are handled in between.
  for (const [name, loadIsland] of Object.entries(islands)) {
    components.set(name, (await loadIsland()).default as ComponentType<object>);
  }

  return {
    renderToReadableStream,
    renderToStaticMarkup,
    /**
     * Renders an island as a tree of its own, as the browser hydrates it. In the tree of the page,
     * `useId` would return other ids.
     */
    renderIsland(name: string, identifierPrefix: string, props: object): string {
      const component = components.get(name);
      if (!component) throw new Error(`No island is called ${name}.`);
      return renderToString(islandTree(makeQueryClient(), component, props), { identifierPrefix });
    },
  };
}

type PageFacts = Pick<Renderer, 'renderIsland'> & { nonce: string };

/** What islands need from the page that they are part of; null outside of a page. */
export const PageContext = createContext<PageFacts | null>(null);

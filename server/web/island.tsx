import { type ComponentProps, type ComponentType, use, useId } from 'react';
import { preloadModule } from 'react-dom';
import { renderToString } from 'react-dom/server';
import { type IslandName, islands } from '../../islands/manifest.ts';
import { islandTree, makeQueryClient } from '../../islands/root.tsx';
import { assets } from './assets.ts';
import { PageContext } from './page-context.ts';
import { jsonForScript, raw } from './raw.ts';

/** The browser imports an island when a page has it; the server has them all from the start. */
const loaded = new Map(
  await Promise.all(
    Object.entries(islands).map(
      async ([name, load]) => [name, (await load()).default as ComponentType<object>] as const,
    ),
  ),
);

type PropsOf<Name extends IslandName> = object &
  ComponentProps<Awaited<ReturnType<(typeof islands)[Name]>>['default']>;

/**
 * An interactive part of a page. `props` travel in the page as JSON.
 * @param props.isLate its scripts are loaded when somebody is about to use it: it has a popover, and
 * what is seen of the page before that stands outside of it (islands/page/late.ts)
 */
export function Island<Name extends IslandName>({
  name,
  props,
  isLate = false,
}: {
  name: Name;
  props: PropsOf<Name>;
  isLate?: boolean;
}) {
  const id = useId();
  const { nonce } = use(PageContext);
  const start = assets().url('hydrate.js');
  if (!isLate) {
    for (const script of scriptsOf(name)) preloadModule(script, { as: 'script', nonce });
  }
  return (
    <>
      {!isLate && <script async type="module" src={start} nonce={nonce} />}
      <div
        data-island={name}
        data-id={id}
        data-late={isLate ? start : undefined}
        {...raw(renderIsland(name, id, props))}
      />
      <script type="application/json" data-props={id} {...raw(jsonForScript(props))} />
    </>
  );
}

/**
 * Renders an island as a tree of its own, as the browser will hydrate it: inside the page's tree
 * `useId` would count differently.
 */
export function renderIsland(name: string, identifierPrefix: string, props: object): string {
  const component = loaded.get(name);
  if (!component) throw new Error(`No island is called ${name}.`);
  return renderToString(islandTree(makeQueryClient(), component, props), { identifierPrefix });
}

const scriptsOf = (name: string) => [
  ...new Set([
    ...assets().imports('hydrate.js'),
    assets().url(`${name}-island.js`),
    ...assets().imports(`${name}-island.js`),
  ]),
];

import { type ComponentProps, use, useId } from 'react';
import { preloadModule } from 'react-dom';
import type { IslandName, islands } from '../../../islands/runtime/manifest.ts';
import { assets } from '../assets/assets.ts';
import { jsonForScript, rawRequest } from '../http/raw-request.ts';
import { PageContext } from './renderer.ts';

type PropsOf<Name extends IslandName> = object &
  ComponentProps<Awaited<ReturnType<(typeof islands)[Name]>>['default']>;

/**
 * An interactive part of a page. `props` travel in the page as JSON.
 * @param props.isLate its scripts are loaded when somebody is about to use it: it has a popover, and
 * what is seen of the page before that stands outside of it (islands/page/lazy-islands.ts)
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
  const page = use(PageContext);
  if (!page) throw new Error('An island stands in no page.');
  const { nonce, renderIsland } = page;
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
        {...rawRequest(renderIsland(name, id, props))}
      />
      <script type="application/json" data-props={id} {...rawRequest(jsonForScript(props))} />
    </>
  );
}

const scriptsOf = (name: string) => [
  ...new Set([
    ...assets().imports('hydrate.js'),
    assets().url(`${name}-island.js`),
    ...assets().imports(`${name}-island.js`),
  ]),
];

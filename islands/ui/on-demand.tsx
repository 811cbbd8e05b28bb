import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { memoizeAsync } from '../../server/contract/memoize.ts';
import { onFirstSign } from '../runtime/first-sign.ts';
import { notify } from '../runtime/notify.ts';

/** Loads the code of a component, which `loaded` is from then on. */
type Loadable<Props> = (() => Promise<ComponentType<Props>>) & {
  loaded: ComponentType<Props> | null;
};

/** Returns a function that loads a component once. A failure is not kept. */
export function loadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Loadable<Props> {
  const loadOnce: Loadable<Props> = Object.assign(
    memoizeAsync(async () => {
      loadOnce.loaded = await load();
      return loadOnce.loaded;
    }),
    { loaded: null },
  );
  return loadOnce;
}

/** Loads code when the user first moves the pointer or presses a key. What needs it tries again if that fails. */
export function usePreload(load: () => Promise<unknown>) {
  useEffect(() => onFirstSign(() => void load().catch(() => {})), [load]);
}

/**
 * A component whose code is not loaded with the page, but when the user first moves the pointer or presses a key, so
 * that it is there when it is opened. Until it is open for the first time it renders nothing.
 * @param props.load as `loadable` returns it
 * @param props.isOpen whether `props` open it
 */
export function OnDemand<Props extends object>({
  load,
  isOpen,
  props,
}: {
  load: Loadable<Props>;
  isOpen: boolean;
  props: Props;
}) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  // Opening it tries again what has failed.
  usePreload(load);
  useEffect(() => {
    if (isOpen) load().then((component) => setLoaded(() => component), notify.failure);
  }, [isOpen, load]);
  return Loaded && <Loaded {...props} />;
}

/** What a 'Try again' button does, and whether that is running. */
type Retry = { onRetry: () => void; isPending: boolean };

/**
 * A part of a page whose code is loaded when the part is shown, unless it has been before.
 * @param props.waiting what stands in its place until then
 * @param props.failure renders what stands there if loading has failed, with a button that tries again
 */
export function LazyPart<Props extends object>({
  load,
  props,
  waiting,
  failure,
}: {
  load: Loadable<Props>;
  props: Props;
  waiting: ReactNode;
  failure: (retry: Retry) => ReactNode;
}) {
  const [Loaded, setLoaded] = useState(() => load.loaded);
  const [hasFailed, setFailed] = useState(false);
  const [isPending, setPending] = useState(false);
  const start = () => {
    setPending(true);
    void load()
      .then(
        (component) => setLoaded(() => component),
        () => setFailed(true),
      )
      .finally(() => setPending(false));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is loaded once, and again only when the user asks
  useEffect(start, []);
  if (Loaded) return <Loaded {...props} />;
  return hasFailed ? failure({ onRetry: start, isPending }) : waiting;
}

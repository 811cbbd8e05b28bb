import { type ComponentType, useEffect, useState } from 'react';
import { memoizeAsync } from '../../server/contract/memoize-async.ts';
import { onFirstSign } from '../runtime/first-sign.ts';
import { notify } from '../runtime/notify.ts';

/** Returns a function that loads a component once. A failure is not kept. */
export const loadable = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  memoizeAsync(load);

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
  load: () => Promise<ComponentType<Props>>;
  isOpen: boolean;
  props: Props;
}) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  // Opening it tries again what has failed.
  useEffect(() => onFirstSign(() => void load().catch(() => {})), [load]);
  useEffect(() => {
    if (isOpen) load().then((component) => setLoaded(() => component), notify.failure);
  }, [isOpen, load]);
  return Loaded && <Loaded {...props} />;
}

import { useSyncExternalStore } from 'react';

const root = () => document.documentElement;

function watch(changed: () => void) {
  const observer = new MutationObserver(changed);
  observer.observe(root(), { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The theme in effect. The server renders the default. */
export const useTheme = (): string =>
  useSyncExternalStore(
    watch,
    () => root().dataset.theme ?? '',
    () => 'wharf-dark',
  );

/** A colour of the theme in effect, for what is not drawn by our stylesheet. */
export const themeColour = (name: string): string =>
  getComputedStyle(root()).getPropertyValue(name);

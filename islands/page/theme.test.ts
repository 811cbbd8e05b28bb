import { expect, test } from 'bun:test';
import { THEME_SCRIPT } from '../../server/web/render/inline-scripts.ts';
import { parseChoice, themeOf } from './theme.ts';

/** Runs the script of the page's head with a stored choice and a system preference. */
function firstPaint(stored: string | null | Error, systemIsLight: boolean) {
  const dataset: { theme?: string } = {};
  const storage = {
    getItem() {
      if (stored instanceof Error) throw stored;
      return stored;
    },
  };
  new Function('localStorage', 'matchMedia', 'document', THEME_SCRIPT)(
    storage,
    () => ({ matches: systemIsLight }),
    { documentElement: { dataset } },
  );
  return dataset.theme;
}

test.each(['light', 'dark', 'system', null, 'neon'])(
  'with %p stored, the first paint and the menu agree',
  (stored) => {
    for (const systemIsLight of [true, false]) {
      expect(firstPaint(stored, systemIsLight)).toBe(themeOf(parseChoice(stored), systemIsLight));
    }
  },
);

test('it is dark until somebody says otherwise', () => {
  expect(firstPaint(null, true)).toBe('wharf-dark');
  expect(firstPaint(new Error('forbidden'), true)).toBe('wharf-dark');
});

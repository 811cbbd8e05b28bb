import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page } from '@playwright/test';
import type axe from 'axe-core';
import type { AxeResults, RunOptions } from 'axe-core';

/** The minified file, because the other takes a page half as long again to parse. */
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const WIDTHS = [320, 390, 720, 1024, 1440];
const THEMES = ['wharf-dark', 'wharf-light'];
const TOASTS = '[data-sonner-toaster]';
const COLORS_ONLY: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } };

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * Expects that axe finds nothing serious in both themes, and that nothing overflows the page at three
 * widths. Leaves the page wide and dark.
 * @param part what axe looks at; a test that looks at a dialog need not look at its page again
 */
export async function expectSound(page: Page, part: Locator = page.locator('html')) {
  for (const theme of THEMES) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await settle(page);
    // The themes differ only in their colours.
    const options = theme === THEMES[0] ? {} : COLORS_ONLY;
    await expectNothingSerious(part, `${page.url()} in ${theme}`, options);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingAside(page);
  }
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, THEMES[0]);
}

/** Expects that axe finds nothing at all in a part of the page, not even something minor. */
export const expectFaultless = (part: Locator) =>
  expectNothingSerious(part, part.page().url(), {}, ['serious', 'critical', 'moderate', 'minor']);

/** Expects that toasts can be read in both themes. The page's clock is paused, so that they stay. */
export async function expectReadableToasts(page: Page) {
  for (const theme of THEMES.toReversed()) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    let isLooking = true;
    const look = async () => {
      await settle(page);
      await expectNothingSerious(page.locator(TOASTS), `toasts in ${theme}`, COLORS_ONLY);
    };
    const looking = look().finally(() => {
      isLooking = false;
    });
    // The frames and timers of axe depend on this clock too.
    while (isLooking) await page.clock.runFor(1);
    await looking;
  }
}

/**
 * Runs axe. It is injected into a page once, because that takes half as long as a run. Toasts are
 * excluded, because a toast that is fading out has too little contrast.
 */
async function expectNothingSerious(
  part: Locator,
  where: string,
  rules: RunOptions,
  impacts: unknown[] = ['serious', 'critical'],
) {
  const page = part.page();
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(await readFile(AXE, 'utf8'));
  // `preload` would make axe copy our styles, which the policy refuses and these rules don't need.
  const options: RunOptions = { ...rules, preload: false, resultTypes: ['violations'] };
  const { violations } = await part.evaluate(
    (element, { toasts, options }): Promise<AxeResults> => {
      const exclude = element.matches(toasts) ? [] : [toasts];
      return window.axe.run({ include: [element], exclude }, options);
    },
    { toasts: TOASTS, options },
  );
  const serious = violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`,
    );
  expect(serious, where).toEqual([]);
}

/** Expects that nothing overflows the page sideways, after it has been laid out for a new width. */
export async function expectNothingAside(page: Page) {
  const over = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  const width = page.viewportSize()?.width;
  await expect.poll(over, `${page.url()} at ${width} px`).toBeLessThanOrEqual(0);
}

/**
 * Waits until all colour transitions have ended. An element that inherits a colour may start its
 * transition later, so it waits for a frame without any.
 */
async function settle(page: Page) {
  await page.evaluate(async () => {
    for (;;) {
      await new Promise(requestAnimationFrame);
      const ending = document
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
      if (ending.length === 0) return;
      await Promise.allSettled(ending.map(({ finished }) => finished));
    }
  });
}

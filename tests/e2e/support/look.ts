import { expect, type Page } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

const WIDTHS = [390, 1024, 1440];
const THEMES = ['wharf-dark', 'wharf-light'];
const TOASTS = '[data-sonner-toaster]';
const COLORS_ONLY: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } };

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * Looks at the page in both themes and at three widths: axe finds nothing serious, and nothing
 * stands out at the side. Leaves it wide and dark.
 */
export async function expectSound(page: Page) {
  for (const theme of THEMES) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await settle(page);
    // Themes differ in nothing but colours.
    const options = theme === THEMES[0] ? {} : COLORS_ONLY;
    await expectNothingSerious(page, `${page.url()} in ${theme}`, options);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingAside(page);
  }
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, THEMES[0]);
}

/** axe finds nothing serious on the page, its colours aside. */
export const expectSoundStructure = (page: Page) =>
  expectNothingSerious(page, page.url(), { rules: { 'color-contrast': { enabled: false } } });

/** Toasts can be read in both themes. The page's clock stands still, so that they stay; leaves it dark. */
export async function expectReadableToasts(page: Page) {
  for (const theme of THEMES.toReversed()) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    let isLooking = true;
    const look = async () => {
      await settle(page);
      await expectNothingSerious(page, `toasts in ${theme}`, COLORS_ONLY, { include: [TOASTS] });
    };
    const looking = look().finally(() => {
      isLooking = false;
    });
    // Frames and the timers of axe come by this clock too.
    while (isLooking) await page.clock.runFor(1);
    await looking;
  }
}

/**
 * Runs axe, which is put into a page once: that takes as long as half a run of it. Toasts are left out of
 * a page: one may begin to fade at any moment, and what fades has too little contrast.
 */
async function expectNothingSerious(
  page: Page,
  where: string,
  rules: RunOptions,
  context: { include: string[] } | { exclude: string[] } = { exclude: [TOASTS] },
) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // Without axe's own copies of our styles, which the policy refuses and no rule of these needs.
  const options: RunOptions = { ...rules, preload: false, resultTypes: ['violations'] };
  const { violations } = await page.evaluate(
    ({ context, options }): Promise<AxeResults> => window.axe.run(context, options),
    { context, options },
  );
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`,
    );
  expect(serious, where).toEqual([]);
}

/** Nothing stands out at the side of the page, once what is drawn anew in another width has been. */
export async function expectNothingAside(page: Page) {
  const over = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  const width = page.viewportSize()?.width;
  await expect.poll(over, `${page.url()} at ${width} px`).toBeLessThanOrEqual(0);
}

/**
 * Colours change over some milliseconds; what is half-way between two themes is neither's. What inherits a colour
 * that changes may begin to change after it: it is over where a frame has begun nothing more.
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

import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WIDTHS = [390, 1024, 1440];
const THEMES = ['wharf-dark', 'wharf-light'];

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
    // Without its own copies of our styles, which the policy refuses and no rule of these needs.
    // What is in order needs no account of each of its elements.
    const axe = new AxeBuilder({ page })
      .setLegacyMode(true)
      .options({ preload: false, resultTypes: ['violations'] });
    // Themes differ in nothing but colours.
    if (theme !== THEMES[0]) axe.withRules(['color-contrast']);
    const { violations } = await axe.analyze();
    const serious = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
    expect(serious, `${page.url()} in ${theme}`).toEqual([]);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingAside(page);
  }
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, THEMES[0]);
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

/** Colours change over some milliseconds; what is half-way between two themes is neither's. */
async function settle(page: Page) {
  await page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

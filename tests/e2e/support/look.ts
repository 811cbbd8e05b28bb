import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WIDTHS = [390, 1024, 1440];
const THEMES = ['wharf-dark', 'wharf-light'];
const TOASTS = '[data-sonner-toaster]';

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
    // A toast may begin to fade at any moment, and what fades has too little contrast.
    const axe = axeOf(page).exclude(TOASTS);
    // Themes differ in nothing but colours.
    if (theme !== THEMES[0]) axe.withRules(['color-contrast']);
    await expectNothingSerious(axe, `${page.url()} in ${theme}`);
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
  expectNothingSerious(axeOf(page).disableRules(['color-contrast']), page.url());

/** Toasts can be read in both themes. The page's clock stands still, so that they stay; leaves it dark. */
export async function expectReadableToasts(page: Page) {
  for (const theme of THEMES.toReversed()) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    let isLooking = true;
    const look = async () => {
      await settle(page);
      const axe = axeOf(page).include(TOASTS).withRules(['color-contrast']);
      await expectNothingSerious(axe, `toasts in ${theme}`);
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
 * Without its own copies of our styles, which the policy refuses and no rule of these needs. What is in
 * order needs no account of each of its elements.
 */
const axeOf = (page: Page) =>
  new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ preload: false, resultTypes: ['violations'] });

async function expectNothingSerious(axe: AxeBuilder, where: string) {
  const { violations } = await axe.analyze();
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
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

import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';

test.use({ contextOptions: { reducedMotion: 'reduce', hasTouch: true } });

type Point = { x: number; y: number };
const KINDS = ['mouse', 'finger'] as const;
const HEIGHT = 60;

/** Opens a page with a button that shows what it has been pressed for, and returns that and its centre. */
async function openForm(page: Page) {
  await page.goto('/signup');
  await expectHydrated(page, 'signup');
  const button = page.getByRole('button', { name: /characters$/ }).first();
  const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
  return { button, centre: { x: x + width / 2, y: y + height / 2 } };
}

/** Adds content above everything else of the page, as a late response does. */
const pushDown = (page: Page) =>
  page.evaluate((height) => {
    const late = document.createElement('div');
    late.style.height = `${height}px`;
    document.body.prepend(late);
  }, HEIGHT);

/** Presses and releases a point with the mouse or a finger, and does something in between. */
async function pressAt(
  page: Page,
  kind: (typeof KINDS)[number],
  { x, y }: Point,
  meanwhile: () => Promise<unknown>,
) {
  await page.evaluate(() => {
    // The click follows in the same task.
    const released = new Promise((done) =>
      addEventListener('mouseup', () => setTimeout(done), { once: true }),
    );
    Reflect.set(window, 'released', released);
  });
  if (kind === 'mouse') {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await meanwhile();
    await page.mouse.up();
  } else {
    const session = await page.context().newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await meanwhile();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }
  await page.evaluate(() => Reflect.get(window, 'released'));
}

for (const kind of KINDS) {
  test(`a button that moves from under the ${kind} while it is pressed is clicked all the same`, async ({
    page,
  }) => {
    const { button, centre } = await openForm(page);
    await pressAt(page, kind, centre, () => pushDown(page));
    await expect(button).toHaveAttribute('aria-pressed', 'true');
  });

  test(`a button that moves under the ${kind} after it was pressed is not clicked`, async ({
    page,
  }) => {
    const { button, centre } = await openForm(page);
    await pushDown(page);
    await pressAt(page, kind, centre, () =>
      page.evaluate(() => document.body.firstElementChild?.remove()),
    );
    expect(await button.getAttribute('aria-pressed')).toBe('false');
  });
}

test('a button that the mouse leaves before it is released is not clicked', async ({ page }) => {
  const { button, centre } = await openForm(page);
  await pressAt(page, 'mouse', centre, () => page.mouse.move(centre.x, centre.y + HEIGHT));
  expect(await button.getAttribute('aria-pressed')).toBe('false');
});

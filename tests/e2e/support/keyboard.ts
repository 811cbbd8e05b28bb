import { expect, type Locator, type Page } from '@playwright/test';

const FAR = 60;

/**
 * Presses Tab, or Shift and Tab where that is the way, until `target` has the focus: whoever has no mouse
 * must be able to get there.
 */
export async function tabTo(page: Page, target: Locator) {
  for (let step = 0; step < FAR; step += 1) {
    const key = await target.evaluate((element) => {
      const { activeElement: active } = document;
      if (element === active || !active) return null;
      const isBefore = element.compareDocumentPosition(active) & Node.DOCUMENT_POSITION_FOLLOWING;
      return isBefore ? 'Shift+Tab' : 'Tab';
    });
    if (!key) return;
    await page.keyboard.press(key);
  }
  await expect(target, 'within reach of the Tab key').toBeFocused({ timeout: 1 });
}

/** Goes there with Tab and presses Enter. */
export async function press(page: Page, target: Locator) {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Goes there with Tab and types. */
export async function typeInto(page: Page, target: Locator, text: string) {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/**
 * Puts the focus on what the Tab key stops at, without the stops before it: on a long page those are half of
 * a test's time. One test of each page walks.
 */
export async function focusOn(target: Locator) {
  const isStop = await target.evaluate((element) => {
    if (!(element instanceof HTMLElement)) return false;
    element.focus();
    return element.tabIndex >= 0 && element === document.activeElement;
  });
  expect(isStop, 'the Tab key stops there').toBe(true);
}

/** Puts the focus there and presses Enter. */
export async function activate(page: Page, target: Locator) {
  await focusOn(target);
  await page.keyboard.press('Enter');
}

/**
 * Presses keys without a pause between them: those of a sequence belong together for a second, which
 * a busy browser may need for its answer to the first.
 */
export async function pressTogether(page: Page, keys: Iterable<string>) {
  await Promise.all([...keys].map((key) => page.keyboard.press(key)));
}

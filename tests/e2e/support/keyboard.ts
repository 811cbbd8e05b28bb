import { expect, type Locator, type Page } from '@playwright/test';

const FAR = 60;

/**
 * Presses Tab or Shift+Tab until `target` has the focus, to check that it can be reached without a
 * mouse.
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

/** Moves the focus to `target` with Tab and presses Enter, once it takes presses. */
export async function press(page: Page, target: Locator) {
  await tabTo(page, target);
  // A button ignores presses while its request is pending.
  await expect(target).toBeEnabled();
  await page.keyboard.press('Enter');
}

/** Moves the focus to `target` with Tab and types. */
export async function typeInto(page: Page, target: Locator, text: string) {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/**
 * Focuses an element that the Tab key stops at, without pressing Tab, which takes half of a test's time
 * on a long page. One test of each page uses `tabTo`.
 */
export async function focusOn(target: Locator) {
  const isStop = await target.evaluate((element) => {
    if (!(element instanceof HTMLElement)) return false;
    element.focus();
    return element.tabIndex >= 0 && element === document.activeElement;
  });
  expect(isStop, 'the Tab key stops there').toBe(true);
}

/** Focuses `target` and presses Enter, once it takes presses. */
export async function activate(page: Page, target: Locator) {
  await expect(target).toBeEnabled();
  await focusOn(target);
  await page.keyboard.press('Enter');
}

/**
 * Presses keys without a pause. The keys of a shortcut must follow each other within a second, which a
 * busy browser may need to acknowledge the first.
 */
export async function pressTogether(page: Page, keys: Iterable<string>) {
  await Promise.all([...keys].map((key) => page.keyboard.press(key)));
}

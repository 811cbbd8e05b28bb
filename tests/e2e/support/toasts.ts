import { expect, type Page } from '@playwright/test';

/** What the toasts of each page said that no test has expected yet, the oldest first. */
const texts = new WeakMap<Page, string[]>();

/**
 * Records the toasts of a page as they appear. A toast goes after two seconds, so on a busy machine it may come and
 * go between two looks at the page.
 */
export async function recordToasts(page: Page): Promise<void> {
  await page.exposeFunction('recordToast', (text: string) => {
    texts.set(page, [...(texts.get(page) ?? []), text]);
  });
  await page.addInitScript((record) => {
    const recordOnceVisible = (toast: Element) => {
      if (toast.checkVisibility({ opacityProperty: true })) {
        Reflect.get(window, record)(toast.textContent);
      } else if (toast.isConnected) {
        requestAnimationFrame(() => recordOnceVisible(toast));
      } else if (toast.getAttribute('data-mounted') === 'true') {
        // It came and went between two frames of a busy machine.
        Reflect.get(window, record)(toast.textContent);
      }
    };
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (!(node instanceof Element)) continue;
        const toasts = [node, ...node.querySelectorAll('*')];
        for (const toast of toasts.filter((one) => one.matches('[data-sonner-toast]')))
          recordOnceVisible(toast);
      }
    }).observe(document, { childList: true, subtree: true });
  }, 'recordToast');
}

/** Expects a toast with this text, now or since the page was opened. Each toast is expected once. */
export const expectToast = (page: Page, text: string | RegExp) =>
  expect.poll(() => takeToast(page, text), `a toast with the text ${text}`).toBe(true);

/** What toasts have said so far that no test has expected. */
export const otherToasts = (page: Page): string[] => texts.get(page) ?? [];

function takeToast(page: Page, text: string | RegExp): boolean {
  const all = texts.get(page) ?? [];
  const at = all.findIndex((one) =>
    typeof text === 'string' ? one.includes(text) : text.test(one),
  );
  texts.set(page, all.toSpliced(at, at < 0 ? 0 : 1));
  return at >= 0;
}

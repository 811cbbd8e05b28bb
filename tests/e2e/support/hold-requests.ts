import type { Locator, Page } from '@playwright/test';

/** Holds back all requests of a page to `url`, until the returned function is called. */
export async function holdRequests(page: Page, url: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.fallback();
  });
  return release;
}

/**
 * Returns where elements are, to compare it with where they are after something has arrived. What opens moves
 * for one frame even without motion, so the end of that is waited for.
 */
export async function placesOf(...elements: Locator[]) {
  const [first] = elements;
  await first?.evaluate(() =>
    Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
  );
  return Promise.all(elements.map((element) => element.boundingBox()));
}

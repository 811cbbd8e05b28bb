import type { Page } from '@playwright/test';
import { median } from '../measurement.ts';

/** A link of the dashboard, and the island of the page that it opens. */
const STEPS = [
  { name: 'Files', island: 'files' },
  { name: 'API Key', island: 'api-key' },
  { name: 'Settings', island: 'settings' },
  { name: 'Overview', island: 'overview' },
] as const;
/** So that a median of few rounds does not depend on the first visit of each page. */
const WARM_UP_ROUNDS = 1;
const TIMES = 'bench-times';

/**
 * Returns the median time in milliseconds from the click on a link of a bucket's navigation until the page that it
 * opens handles events, whether it is shown in the same document or in another one.
 * @param path the path of one of the bucket's pages
 */
export async function measureNavigation(page: Page, path: string, rounds: number): Promise<number> {
  await page.addInitScript(recordTimes, TIMES);
  await page.goto(path, { waitUntil: 'networkidle' });
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    if (round === WARM_UP_ROUNDS)
      await page.evaluate((key) => sessionStorage.removeItem(key), TIMES);
    for (const { name, island } of STEPS) {
      await page
        .getByRole('navigation', { name: 'Bucket' })
        .getByRole('link', { name, exact: true })
        .click();
      await page.locator(`[data-island="${island}"][data-live]`).waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
    }
  }
  const times = await page.evaluate((key) => sessionStorage.getItem(key), TIMES);
  return median((times ?? '').split(' ').map(Number));
}

/** Runs in every document of the page. It keeps the times in the tab, because the document may be another one then. */
function recordTimes(key: string) {
  const now = () => performance.timeOrigin + performance.now();
  addEventListener(
    'click',
    ({ timeStamp }) =>
      sessionStorage.setItem(`${key}-start`, String(performance.timeOrigin + timeStamp)),
    true,
  );
  document.addEventListener('wharf:hydrated', ({ target }) => {
    const start = Number(sessionStorage.getItem(`${key}-start`));
    if (!(target as Element).matches('[data-island]:not([data-lazy])') || start === 0) return;
    sessionStorage.removeItem(`${key}-start`);
    const before = sessionStorage.getItem(key);
    sessionStorage.setItem(key, `${before ? `${before} ` : ''}${(now() - start).toFixed(1)}`);
  });
}

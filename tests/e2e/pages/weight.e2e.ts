import type { Page } from '@playwright/test';
import { KIB } from '../../../server/contract/limits.ts';
import { expect, test } from '../fixtures.ts';
import { enterWith } from '../support/buckets.ts';

/**
 * What each page transfers to a browser that has nothing of it, in KiB. A page that needs more is slower for everybody
 * who opens it for the first time, so raise a number only with a reason.
 */
const LIMITS = {
  // The picture of the dashboard is up to 60 of it.
  '/': 230,
  '/docs': 80,
  '/dashboard': 170,
  '/dashboard/bucket/:id': 164,
  '/dashboard/files/:id': 196,
  '/dashboard/api-key/:id': 176,
  '/dashboard/settings/:id': 184,
  '/profile': 146,
  '/billing': 148,
};

/** Returns the bytes that a page has transferred, without the heads of the responses, and the largest parts. */
async function weigh(page: Page) {
  const parts = await page.evaluate(() =>
    [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ].map((entry) => {
      const { name, encodedBodySize } = entry as PerformanceResourceTiming;
      return { name: new URL(name).pathname, bytes: encodedBodySize };
    }),
  );
  const largest = parts.sort((a, b) => b.bytes - a.bytes).slice(0, 12);
  return {
    kib: parts.reduce((sum, { bytes }) => sum + bytes, 0) / KIB,
    largest: largest.map(({ name, bytes }) => `${(bytes / KIB).toFixed(1)} ${name}`).join('\n'),
  };
}

test('no page weighs more than its limit without a cache', async ({ page, server }) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  const id = ids.Harbour ?? '';
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  for (const [path, limit] of Object.entries(LIMITS)) {
    await page.goto(path.replace(':id', id), { waitUntil: 'networkidle' });
    const { kib, largest } = await weigh(page);
    expect.soft(kib, `${path}\n${largest}`).toBeLessThan(limit);
  }
});

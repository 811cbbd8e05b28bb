import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from '@playwright/test';
import type { SessionWire } from '../../server/contract/wire.ts';
import { authOf } from '../../tests/e2e/support/people.ts';
import { withoutFeatures } from '../../tests/support/fixtures/chromium-features.ts';
import { findChromium } from '../setup/programs.mjs';

export const THEMES = ['dark', 'light'] as const;

/** Starts the Chromium of the machine. Throws where there is none. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Screenshots need chromium: install it, then try again.');
  return chromium.launch({
    executablePath,
    args: [withoutFeatures, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/**
 * Opens a browser context of a user, or of a visitor, at the server of `options.baseURL`.
 * @param theme the theme of its pages
 */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions & { baseURL: string },
  theme: string,
  session?: SessionWire,
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  if (session) {
    const cookie = { name: 'wharf_session', value: session.token, url: options.baseURL };
    await context.addCookies([{ ...cookie, httpOnly: true }]);
  }
  const storage = { theme, ...(session && { auth: JSON.stringify(authOf(session)) }) };
  await context.addInitScript((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, storage);
  // Later pages find the font in the cache.
  const first = await context.newPage();
  await first.goto('/docs/quick-start', { waitUntil: 'networkidle' });
  await first.close();
  return context;
}

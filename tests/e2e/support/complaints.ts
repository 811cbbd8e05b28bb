import type { BrowserContext } from '@playwright/test';

/** Chromium logs this for every 4xx, which many tests expect. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;
/** Tests insert rows of files without objects, which makes the health page respond with 503. */
const HEALTH = /\/health$/;

/**
 * Collects the console errors and exceptions of a context's pages, except those that a test has
 * `expected`.
 */
export function complaintsOf(context: BrowserContext, expected: RegExp | null = null): string[] {
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const text = message.text();
    if (message.type() !== 'error' || REFUSED.test(text) || expected?.test(text)) return;
    if (HEALTH.test(message.location().url)) return;
    complaints.push(text);
  });
  return complaints;
}

import type { BrowserContext } from '@playwright/test';

/** Chromium says this of every 4xx, which many tests are after. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;
/** Tests put rows of files that have no objects into the database, which this page then tells. */
const HEALTH = /\/health$/;

/**
 * What pages of a context say that they should not: errors on the console, and exceptions.
 * `expected` is what a test is after.
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

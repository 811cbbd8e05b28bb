import type { BrowserContext } from '@playwright/test';

/** Chromium says this of every 4xx, which many tests are after. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** What pages of a context say that they should not: errors on the console, and exceptions. */
export function complaintsOf(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' && !REFUSED.test(message.text())) {
      complaints.push(message.text());
    }
  });
  return complaints;
}

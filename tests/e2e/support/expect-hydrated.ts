import { expect, type Page } from '@playwright/test';
import { PLAIN_PAGE } from './people.ts';

/** Expects an island of the page to be hydrated. */
export const expectHydrated = (page: Page, island: string) =>
  expect(page.locator(`[data-island=${island}][data-live]`)).toBeAttached();

/**
 * Makes the page send one more request. All requests before it have been reported by then, so a test
 * can check that a request was not sent.
 */
export const roundTrip = (page: Page) =>
  page.evaluate(async (path) => void (await (await fetch(path)).text()), PLAIN_PAGE);

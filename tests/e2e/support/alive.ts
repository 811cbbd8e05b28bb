import { expect, type Page } from '@playwright/test';
import { BARE_PAGE } from './people.ts';

/** An island of the page answers. */
export const expectAlive = (page: Page, island: string) =>
  expect(page.locator(`[data-island=${island}][data-live]`)).toBeAttached();

/**
 * Lets the page do what it is at and ask once more: what it asked for before that has been told of by
 * then. For what must not be asked for.
 */
export const roundTrip = (page: Page) =>
  page.evaluate(async (path) => void (await (await fetch(path)).text()), BARE_PAGE);

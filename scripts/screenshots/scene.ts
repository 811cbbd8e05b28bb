import type { Page } from '@playwright/test';

export type Person = 'owner' | 'debtor' | 'newcomer';

export type Scene = {
  name: string;
  path: string;
  /** Whose page it is; a visitor's where it is left out. */
  as?: Person;
  /** What is done before the picture is taken, which then shows the window and not the whole page. */
  act?: (page: Page) => Promise<unknown>;
  /** Whether the window is enough of a page that is very long. */
  isLong?: boolean;
};

/** What the scenes are about. */
export type Ids = Record<'empty' | 'full' | 'suspended' | 'file' | 'video' | 'failed', string>;

export const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

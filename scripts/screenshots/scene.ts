import type { Page } from '@playwright/test';
import type { Interrupted } from './interrupted-upload.ts';

export type Account = 'owner' | 'debtor' | 'newcomer';

export type Scene = {
  name: string;
  /** Can contain ids, as in `/dashboard/files/:full`. */
  path: string;
  /** The user whose page it is; a visitor where it is left out. */
  as?: Account;
  /** Called before the screenshot, which then shows the window instead of the whole page. */
  act?: (page: Page, ids: Ids) => Promise<unknown>;
  /** Whether a window is enough of a very long page. */
  isLong?: boolean;
};

/** The ids that paths can contain. */
export type Ids = Record<
  | 'empty'
  | 'full'
  | 'folders'
  | 'gone'
  | 'suspended'
  | 'banned'
  | 'file'
  | 'video'
  | 'text'
  | 'pdf'
  | 'failed'
  | 'underWay',
  string
> & { interrupted: Interrupted };

type Act = NonNullable<Scene['act']>;

/** Returns the path of a scene with its ids filled in. Throws for an id that does not exist. */
export const pathOf = ({ path }: Scene, ids: Ids): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name as keyof Ids];
    if (typeof id !== 'string') throw new Error(`${path} names no id: ${name}.`);
    return id;
  });

export const ownerAt = (name: string, path: string, act: Act): Scene => ({
  name,
  path,
  act,
  as: 'owner',
});

export const visitorAt = (name: string, path: string, act: Act): Scene => ({ name, path, act });

export const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();

export const dialog = (page: Page) => page.getByRole('dialog');

/** Opens the menu of a row, and selects an item where one is given. */
export const menuOf = (name: RegExp, item?: string) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole('menuitem').first().waitFor();
  if (item) await page.getByRole('menuitem', { name: item }).click();
};

/** Scrolls a part of a long page into the window. */
export const scrollTo = (heading: string) => (page: Page) =>
  page.getByRole('heading', { name: heading, exact: true }).evaluate((it) => it.scrollIntoView());

/** Makes calls fail like those of a broken server. */
export const breakCalls = (page: Page, url: string) =>
  page.route(url, (route) => route.fulfill({ status: 500, body: '' }));

/** Answers calls with JSON. */
export const answerCalls = (page: Page, url: string, json: object) =>
  page.route(url, (route) => route.fulfill({ json }));

/** Makes calls wait for ever. */
export const holdRequests = (page: Page, url: string) => page.route(url, () => {});

export const failed = (page: Page) =>
  page.getByText('An unexpected error occurred.').first().waitFor({ timeout: 20_000 });

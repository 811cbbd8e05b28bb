import type { Page } from '@playwright/test';
import { createBucketId } from '../../support/client/api.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { startSession } from './people.ts';

/** Signs up a new user with these buckets, the last of which is the newest. */
export async function enterWith(page: Page, server: ServerProcess, names: string[]) {
  const { token } = await startSession(page, server);
  const ids: Record<string, string> = {};
  for (const name of names) ids[name] = await createBucketId(server, token, name);
  return { token, ids };
}

export const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `Berth ${String(index + 1).padStart(2, '0')}`);

/** Collects the query strings of all requests to a path from now on. */
export function queriesOf(page: Page, path: string): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === path) requests.push(search);
  });
  return requests;
}

export const trigger = (page: Page) => page.locator('[popovertarget=bucket-picker]');
export const panel = (page: Page) => page.getByRole('dialog', { name: 'Select Bucket' });
export const search = (page: Page) => panel(page).getByRole('combobox', { name: 'Search Bucket' });
export const list = (page: Page) => panel(page).getByRole('listbox', { name: 'Buckets' });
export const option = (page: Page, name: string) => list(page).getByRole('option', { name });

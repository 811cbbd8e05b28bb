import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { PASSWORD } from '../../support/client/api.ts';
import { readCode } from '../../support/client/outbox.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';

export { PASSWORD };

/** Has no script, and is there also where the server misses objects, as of rows that tests made up. */
export const BARE_PAGE = '/docs/openapi.json';

let people = 0;
/** An address that nobody has used in this run. */
export const newAddress = (name = 'ana') => {
  people += 1;
  return `${name}-${people}-${process.pid}@example.com`;
};

/** Signs a new user up as the page's browser, which gets the cookies. */
export async function signUpIn(
  page: Page,
  { outbox }: ServerProcess,
  email = newAddress(),
): Promise<SessionWire> {
  await page.request.post('/users/signup', { data: { email, password: PASSWORD } });
  const data = { email, email_token: await readCode(outbox, email) };
  const answer = await page.request.post('/users/verify', { data });
  if (!answer.ok()) throw new Error(`Signing up failed: ${await answer.text()}`);
  return (await answer.json()) as SessionWire;
}

export const authOf = ({ token, userId, exp, email }: SessionWire) => ({
  access: token,
  userId,
  exp,
  email,
  isAuth: true,
});

/** What the page's local storage holds under `auth`. */
export const storedAuth = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('auth') ?? '{}'));

/** Puts a text under `auth`, or nothing; the page must be one of the server's. */
export const storeAuth = (page: Page, text: string | null) =>
  page.evaluate((value) => {
    if (value === null) localStorage.removeItem('auth');
    else localStorage.setItem('auth', value);
  }, text);

/** Signs a new user up and opens `path` as them. */
export async function enter(page: Page, server: ServerProcess, path: string) {
  const session = await signUpIn(page, server);
  await page.goto(BARE_PAGE);
  await storeAuth(page, JSON.stringify(authOf(session)));
  await page.goto(path);
  return session;
}

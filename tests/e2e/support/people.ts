import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { PASSWORD, signUpWith } from '../../support/client/api.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';

export { PASSWORD };

/** A page without a script. It exists even if the server is unhealthy because tests inserted rows. */
export const PLAIN_PAGE = '/docs/openapi.json';

let userCount = 0;
/** Returns an email address that is new in this run. */
export const newAddress = (name = 'ana') => {
  userCount += 1;
  return `${name}-${userCount}-${process.pid}@example.com`;
};

/** Signs up a new user in the page's browser, which gets the cookies. */
export async function signUpIn(
  page: Page,
  { outbox }: ServerProcess,
  email = newAddress(),
): Promise<SessionWire> {
  const post = async (path: string, data: object) => {
    const response = await page.request.post(path, { data });
    return new Response((await response.text()) || null, { status: response.status() });
  };
  return signUpWith(post, outbox, { email, password: PASSWORD });
}

export const authOf = ({ token, userId, exp, email }: SessionWire) => ({
  access: token,
  userId,
  exp,
  email,
  isAuth: true,
});

/** Returns the session in the page's local storage. */
export const storedAuth = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('auth') ?? '{}'));

/** Sets or removes the session in local storage. The page must be one of the server's. */
export const storeAuth = (page: Page, text: string | null) =>
  page.evaluate((value) => {
    if (value === null) localStorage.removeItem('auth');
    else localStorage.setItem('auth', value);
  }, text);

/**
 * Stores a session in local storage before the first script of the first page that this tab opens.
 * What pages do to it later stays.
 */
export const keepSession = (
  page: Page,
  { url }: Pick<ServerProcess, 'url'>,
  session: SessionWire,
) =>
  page.addInitScript(
    ({ text, origin }) => {
      if (self.origin !== origin || sessionStorage.getItem('session-of-test') === text) return;
      sessionStorage.setItem('session-of-test', text);
      localStorage.setItem('auth', text);
    },
    { text: JSON.stringify(authOf(session)), origin: url },
  );

/** Gives the page's browser a session that was started elsewhere. */
export async function giveSession(page: Page, server: ServerProcess, session: SessionWire) {
  const cookie = { name: 'wharf_session', value: session.token, url: server.url };
  await page.context().addCookies([cookie]);
  await keepSession(page, server, session);
}

/** Signs up a new user, whose session the page's browser has from now on. */
export async function startSession(page: Page, server: ServerProcess) {
  const session = await signUpIn(page, server);
  await keepSession(page, server, session);
  return session;
}

/** Signs up a new user and opens `path` in their session. */
export async function enter(page: Page, server: ServerProcess, path: string) {
  const session = await startSession(page, server);
  await page.goto(path);
  return session;
}

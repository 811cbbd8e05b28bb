import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { readCode } from '../../support/client/outbox.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import {
  authOf,
  enter,
  newAddress,
  PASSWORD,
  PLAIN_PAGE,
  signUpIn,
  storeAuth,
  storedAuth,
} from '../support/people.ts';

const COOKIES = ['none', 'good', 'revoked', 'damaged'] as const;
type Cookie = (typeof COOKIES)[number];
type Storage = 'none' | 'same' | 'expired' | 'other' | 'damaged' | 'without its token';

/** Without a valid cookie the server redirects to the login, whatever the storage contains. */
const FEW_STORAGES: Storage[] = ['none', 'same', 'expired'];
const STORAGES: Record<Cookie, Storage[]> = {
  none: FEW_STORAGES,
  good: [...FEW_STORAGES, 'other', 'damaged', 'without its token'],
  revoked: FEW_STORAGES,
  damaged: FEW_STORAGES,
};

/** A redirect to the login and back again would be three pages. */
const MAX_NAVIGATIONS = 2;
const LONG_AGO = 1_700_000_000;

/** Gives the browser a session whose cookie is in one of the states. */
async function prepare(page: Page, server: ServerProcess, cookie: Cookie) {
  const context = page.context();
  await context.clearCookies();
  const session = await signUpIn(page, server);
  if (cookie === 'revoked') {
    const headers = { authorization: `Bearer ${session.token}` };
    await fetch(`${server.url}/users/logout`, { method: 'POST', headers });
  }
  if (cookie === 'none') await context.clearCookies({ name: 'wharf_session' });
  if (cookie === 'damaged') {
    await context.addCookies([{ name: 'wharf_session', value: 'no.token.here', url: server.url }]);
  }
  return session;
}

function textOf(storage: Storage, session: SessionWire, other: SessionWire): string | null {
  switch (storage) {
    case 'none':
      return null;
    case 'damaged':
      return '{"access":';
    case 'without its token':
      return JSON.stringify({ ...authOf(session), access: null });
    case 'expired':
      return JSON.stringify({ ...authOf(session), exp: LONG_AGO });
    default:
      return JSON.stringify(authOf(storage === 'other' ? other : session));
  }
}

/** The page is hydrated, including the session check, and has finished its requests. */
async function expectToStay(page: Page) {
  await expect(page.locator('html[data-live]')).toBeAttached();
  await expect(page.locator('[data-island]:not([data-live], [data-late])')).toHaveCount(0);
  await roundTrip(page);
}

/** The page has shown 'Token expired', and of the session only `exp` is left. */
async function expectExpired(page: Page) {
  await expect(page.getByText('Token expired')).toBeVisible();
  const cleared = { access: null, userId: null, email: null, isAuth: false };
  expect(await storedAuth(page)).toEqual({ ...cleared, exp: LONG_AGO });
}

for (const cookie of COOKIES) {
  test(`a ${cookie} cookie never goes round in circles, whatever the storage holds`, async ({
    page,
    server,
  }) => {
    const other = await signUpIn(page, server);
    let session = await prepare(page, server, cookie);
    const failures: string[] = [];
    page.on('framenavigated', (frame) => failures.push(new URL(frame.url()).pathname));
    const open = async (path: string, storage: Storage) => {
      await page.goto(PLAIN_PAGE);
      await storeAuth(page, textOf(storage, session, other));
      failures.length = 0;
      await page.goto(path).catch(() => {
        // The session check may open /login while the page is still loading.
      });
    };
    for (const storage of STORAGES[cookie]) {
      await open('/login', storage);
      await expect(page.getByLabel('Email')).toBeFocused();
      expect(failures, `/login with storage ${storage}`).toEqual(['/login']);
      if (storage === 'expired') await expectExpired(page);

      await open('/dashboard', storage);
      const stays = cookie === 'good' && storage === 'same';
      await expect(page).toHaveURL(stays ? '/dashboard' : '/login');
      if (stays) await expect(page.getByRole('heading', { name: 'Your Buckets' })).toBeVisible();
      else await expect(page.getByLabel('Email')).toBeFocused();
      await expectToStay(page);
      expect(failures.length, `${failures} with storage ${storage}`).toBeLessThanOrEqual(
        MAX_NAVIGATIONS,
      );
      expect(failures.at(-1)).toBe(stays ? '/dashboard' : '/login');
      if (storage === 'expired') await expectExpired(page);
      if (cookie === 'good' && !stays) session = await prepare(page, server, cookie);
    }
  });
}

test('a call after the token’s time is not made: it logs out and says why', async ({
  page,
  server,
}) => {
  const session = await enter(page, server, '/dashboard');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  await storeAuth(page, JSON.stringify({ ...authOf(session), exp }));
  await page.reload();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(new URL(request.url()).pathname);
  });
  await page.getByRole('button', { name: 'Create Bucket' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Too late');
  await page.clock.setFixedTime((exp + 1) * 1000);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Token expired')).toBeVisible();
  expect(calls).toEqual(['/users/logout']);
  const cleared = { access: null, userId: null, email: null, isAuth: false, exp };
  expect(await storedAuth(page)).toEqual(cleared);
});

test('a cookie that is good beside a token that was revoked leads to the login at the first call', async ({
  page,
  server,
}) => {
  const { email, token } = await enter(page, server, '/dashboard');
  const requestedAt = Date.now();
  await page.request.post(`/users/send/email/no/auth/${email}/login`, {
    data: { password: PASSWORD },
  });
  const email_token = await readCode(server.outbox, email, requestedAt);
  // The new cookie replaces that of the first session, whose token stays in the storage.
  await page.request.post('/users/login', { data: { email, password: PASSWORD, email_token } });
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${server.url}/users/logout`, { method: 'POST', headers });
  // The server renders the page by the cookie, and the page loads the costs with the token.
  await page.goto('/billing').catch(() => {
    // The page may redirect while it is still loading.
  });
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('Token expired')).toBeVisible();
  await expectToStay(page);
  await expect(page).toHaveURL('/login');
});

/** Opens the profile, and the dashboard in a second tab of the same session. */
async function enterTwice(page: Page, server: ServerProcess) {
  await enter(page, server, '/profile');
  const other = await page.context().newPage();
  await other.goto('/dashboard');
  await expect(other.getByRole('heading', { name: 'Your Buckets' })).toBeVisible();
  return other;
}

test('two tabs stay in step: logging out in one is logging out in both', async ({
  page,
  server,
}) => {
  const other = await enterTwice(page, server);
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect(other).toHaveURL('/login');
});

test('two tabs stay in step: the bar of one shows the address that was changed in the other', async ({
  page,
  server,
}) => {
  const other = await enterTwice(page, server);
  const next = newAddress('moved');
  await page.getByLabel('New email').fill(next);
  await page.getByLabel('New email').press('Enter');
  await page.getByLabel('Code').fill(String(await readCode(server.outbox, next)));
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByLabel('Current email')).toHaveValue(next);
  await expect(other.locator('#user-menu')).toContainText(next);
});

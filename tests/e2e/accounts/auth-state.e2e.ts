import type { Page } from '@playwright/test';
import { createBucket } from '../../support/client/api.ts';
import { readCode } from '../../support/client/outbox.ts';
import { expect, test } from '../fixtures.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import {
  authOf,
  enter,
  newAddress,
  PASSWORD,
  signUpIn,
  startSession,
  storeAuth,
  storedAuth,
} from '../support/people.ts';
import { watchSockets } from '../support/sockets.ts';
import { expectToast } from '../support/toasts.ts';

const LONG_AGO = 1_700_000_000;

/** The page is hydrated, including the session check, and has finished its requests. */
async function expectToStay(page: Page) {
  await expect(page.locator('html[data-live]')).toBeAttached();
  await expect(page.locator('[data-island]:not([data-live], [data-lazy])')).toHaveCount(0);
  await roundTrip(page);
}

/** The page has shown 'Token expired', and of the session only `exp` is left. */
async function expectExpired(page: Page) {
  await expectToast(page, 'Token expired');
  const cleared = { access: null, userId: null, email: null, isAuth: false };
  expect(await storedAuth(page)).toEqual({ ...cleared, exp: LONG_AGO });
}

test('a cookie without its stored session leads to the login, and never round in circles', async ({
  page,
  server,
}) => {
  const visited: string[] = [];
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname));
  const open = async (path: string) => {
    visited.length = 0;
    await page.goto(path).catch(() => {
      // The session check may open /login while the page is still loading.
    });
    await expect(page).toHaveURL('/login');
    await expect(page.getByLabel('Email')).toBeFocused();
    await expectToStay(page);
  };
  const session = await signUpIn(page, server);
  await open('/login');
  expect(visited).toEqual(['/login']);

  await open('/dashboard');
  expect(visited).toEqual(['/dashboard', '/login']);

  await signUpIn(page, server);
  await storeAuth(page, JSON.stringify({ ...authOf(session), exp: LONG_AGO }));
  await open('/login');
  expect(visited).toEqual(['/login']);
  await expectExpired(page);

  await storeAuth(page, JSON.stringify({ ...authOf(session), exp: LONG_AGO }));
  await open('/dashboard');
  expect(visited).toEqual(['/dashboard', '/login']);
  await expectExpired(page);
});

test('a signed-in user is led from the pages for visitors to the dashboard', async ({
  page,
  server,
}) => {
  await enter(page, server, '/dashboard');
  for (const path of ['/login', '/signup']) {
    await page.goto(path);
    await expect(page).toHaveURL('/dashboard');
  }
});

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
  await expectToast(page, 'Token expired');
  expect(calls).toEqual(['/users/logout']);
  const cleared = { access: null, userId: null, email: null, isAuth: false, exp };
  expect(await storedAuth(page)).toEqual(cleared);
});

test('a cookie that is good beside a token that was revoked leads to the login at the first call', async ({
  page,
  server,
}) => {
  const { email, token } = await enter(page, server, '/docs');
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
  await expectToast(page, 'Token expired');
  await expectToStay(page);
  await expect(page).toHaveURL('/login');
});

test('a session that was ended elsewhere says so: on an open page at once, else on the login page', async ({
  page,
  server,
}) => {
  const sockets = await watchSockets(page);
  for (const isOpen of [true, false]) {
    const { token } = await startSession(page, server);
    const { id } = await createBucket(server, token, 'Harbour');
    await page.goto(isOpen ? `/dashboard/files/${id}` : '/docs');
    if (isOpen) await expect.poll(() => sockets.isOpen).toBe(true);
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${server.url}/users/logout`, { method: 'POST', headers });
    if (!isOpen) await page.goto('/dashboard');
    await expect(page).toHaveURL(/\/login/);
    await expectToast(page, isOpen ? 'Token expired' : 'Your session has ended. Log in again.');
    await expectToStay(page);
  }
});

test('two tabs stay in step: a new address is in the bar of both, and a logout ends both', async ({
  page,
  server,
}) => {
  await enter(page, server, '/profile');
  const other = await page.context().newPage();
  const sockets = await watchSockets(other);
  await other.goto('/dashboard');
  await expect(other.getByRole('heading', { name: 'Your Buckets' })).toBeVisible();
  // A browser reports a socket that the server refuses, which a logout before its handshake would make it do.
  await expect.poll(() => sockets.isOpen).toBe(true);
  const next = newAddress('moved');
  await page.getByLabel('New email').fill(next);
  await page.getByLabel('New email').press('Enter');
  await page.getByLabel('Code').fill(String(await readCode(server.outbox, next)));
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByLabel('Current email')).toHaveValue(next);
  await expect(other.locator('#user-menu')).toContainText(next);

  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect(other).toHaveURL('/login');
  // Half of a session would have let it connect again, and the server refuse it.
  expect(sockets.opened).toBe(1);
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { createBucket, uploadImage } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { activate, press, pressTogether, typeInto } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { deleteByCode } from '../support/mailed-code.ts';
import { enter, newAddress, PASSWORD, startSession, storedAuth } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

const panel = (page: Page, name: string) => page.getByRole('region', { name });

/** Returns the link in the notice that was mailed to an old address. */
async function undoLink(outbox: string, address: string): Promise<string> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
  const links = mails
    .filter((mail) => mail.includes(`To: ${address}`))
    .flatMap((mail) =>
      mail.replace(/=\r?\n/g, '').match(/http\S+undo-email-change\?token=[\w=-]+/g),
    );
  return links.find(Boolean)?.replace('token=3D', 'token=') ?? '';
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Logs a user in with another browser. Returns a function that tells whether its session is valid. */
async function logInElsewhere({ url, outbox }: ServerProcess, email: string) {
  const client = browser(url);
  const since = Date.now();
  await client.post(`/users/send/email/no/auth/${email}/login`, { password: PASSWORD });
  const email_token = await readCode(outbox, email, since);
  const login = { email, password: PASSWORD, email_token };
  const response = await client.post('/users/login', login, { 'user-agent': FIREFOX });
  const { token } = (await response.json()) as SessionWire;
  const headers = { authorization: `Bearer ${token}` };
  return async () => (await client.fetch('/users/profile', { headers })).ok;
}

test('the email changes with a code sent to the new address, and the old one can undo it', async ({
  page,
  server,
}) => {
  const { email } = await enter(page, server, '/dashboard');
  const next = newAddress('moved');
  await press(page, page.getByRole('button', { name: 'User menu' }));
  await press(page, page.locator('#user-menu').getByRole('link', { name: 'Profile' }));
  await expect(page).toHaveURL('/profile');
  const box = panel(page, 'Email Address');
  await expect(box.getByLabel('Current email')).toHaveValue(email);
  await expect(box.getByLabel('Current email')).not.toBeEditable();

  await press(page, box.getByRole('button', { name: 'Save Changes' }));
  const required = 'A new email address is required to continue. Please provide a valid email.';
  await expectToast(page, required);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type(next);
  await page.keyboard.press('Enter');
  await expect(box.getByLabel('Code')).toBeFocused();
  await expectSound(page, box);
  await page.keyboard.type(String(await readCode(server.outbox, next)));
  await press(page, box.getByRole('button', { name: 'Submit' }));
  await expect(box.getByLabel('Current email')).toHaveValue(next);
  await expect(box.getByLabel('New email')).toHaveValue('');
  expect(await storedAuth(page)).toMatchObject({ email: next, isAuth: true });
  await expect(page.locator('#user-menu')).toContainText(next);

  const referrers: (string | undefined)[] = [];
  page.on('request', (request) => referrers.push(request.headers().referer));
  await expect.poll(() => undoLink(server.outbox, email)).not.toBe('');
  await page.goto(await undoLink(server.outbox, email));
  await expect(page).toHaveURL('/undo-email-change');
  await expectSound(page, page.getByRole('main'));
  await press(page, page.getByRole('button', { name: 'Undo the change' }));
  await expect(page.getByText(`You log in with ${email} again.`)).toBeVisible();
  expect(referrers.filter((one) => one?.includes('token'))).toEqual([]);
  await page.goto('/profile');
  await expect(page).toHaveURL('/login');
});

test('a link that is not whole undoes nothing, and says so', async ({ page }) => {
  await page.goto('/undo-email-change?token=abc');
  await expect(page).toHaveURL('/undo-email-change');
  await page.getByRole('button', { name: 'Undo the change' }).click();
  await expect(page.getByRole('alert')).toHaveText('The link is incomplete.');
});

test('the password changes with a code; other sessions are listed, and end', async ({
  page,
  server,
}) => {
  const { email } = await startSession(page, server);
  const one = await logInElsewhere(server, email);
  const two = await logInElsewhere(server, email);
  await page.goto('/profile/security');
  const box = panel(page, 'Sessions');
  await expect(box.getByRole('listitem')).toHaveCount(3);
  await expect(box.getByText('This browser')).toHaveCount(1);
  await expect(box.getByText('Last seen')).toHaveCount(3);
  await expectSound(page, box);
  const end = box.getByRole('button', { name: /^End .* on / }).first();
  await activate(page, end);
  const question = page.getByRole('dialog', { name: 'End session' });
  await expect(question).toContainText(
    'will be logged out immediately, and its uploads will stop.',
  );
  await page.keyboard.press('Escape');
  await expect(end).toBeFocused();
  // Both presses reach a busy page together: the first closes the dialog, the second opens it.
  await page.keyboard.press('Enter');
  await expect(question).toBeVisible();
  await pressTogether(page, ['Escape', 'Enter']);
  await activate(page, question.getByRole('button', { name: 'End session' }));
  await expectToast(page, 'Session ended.');
  await expect(box.getByRole('listitem')).toHaveCount(2);
  await expect(box.getByRole('list')).toBeFocused();
  const endAll = box.getByRole('button', { name: 'End all others' });
  await activate(page, endAll);
  const allDialog = page.getByRole('dialog', { name: 'End all other sessions' });
  await expect(allDialog).toContainText('1 other browser will be logged out immediately');
  await activate(page, allDialog.getByRole('button', { name: 'Cancel' }));
  await expect(endAll).toBeFocused();
  await page.reload();
  await expect(box.getByRole('listitem')).toHaveCount(2);
  await activate(page, endAll);
  await activate(page, allDialog.getByRole('button', { name: 'End all others' }));
  await expect(box.getByRole('listitem')).toHaveCount(1);
  expect([await one(), await two()]).toEqual([false, false]);

  const form = panel(page, 'Password');
  await typeInto(page, form.getByLabel('New password', { exact: true }), 'a new harbour');
  await typeInto(page, form.getByLabel('Confirm new password', { exact: true }), 'a new harbou');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Passwords do not match!');
  await page.keyboard.type('r');
  const requestedAt = Date.now();
  await page.keyboard.press('Enter');
  await expect(form.getByLabel('Code')).toBeFocused();
  await page.keyboard.type(String(await readCode(server.outbox, email, requestedAt)));
  await activate(page, form.getByRole('button', { name: 'Submit' }));
  await expectToast(page, 'Password changed.');
  await expect(form.getByLabel('New password', { exact: true })).toHaveValue('');
  const path = `/users/send/email/no/auth/${email}/login`;
  const tryWith = async (password: string) =>
    (await page.request.post(path, { data: { password } })).status();
  expect([await tryWith(PASSWORD), await tryWith('a new harbour')]).toEqual([401, 204]);
});

test('the account is deleted behind a code, and the dialog says what is lost', async ({
  page,
  server,
}) => {
  const session = await enter(page, server, '/profile');
  const bucket = await createBucket(server, session.token, 'Lost');
  await uploadImage(server, bucket, new File([new Uint8Array(await makePhoto())], 'lost.jpg'));
  const dialog = page.getByRole('dialog', { name: 'Delete Account' });
  const button = page.getByRole('button', { name: 'Delete Account' });
  await activate(page, button);
  await expect(dialog).toContainText(
    /All data will be wiped: 1 bucket, 1 file, \d+\.\d\d [KM]iB\. Any remaining balance is lost\./,
  );
  await expectSound(page, dialog);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();

  await deleteByCode(page, server, { dialog, email: session.email });
  await expect(page).toHaveURL('/');
  await expect(
    page.getByRole('status').filter({ hasText: 'Your account was deleted.' }),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  const { exp } = session;
  const cleared = { access: null, userId: null, email: null, isAuth: false, exp };
  expect(await storedAuth(page)).toEqual(cleared);
  const headers = { authorization: `Bearer ${session.token}` };
  expect((await fetch(`${server.url}/users/profile`, { headers })).status).toBe(401);
});

test('below the large breakpoint the compact menu leads to the profile, and out', async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 800, height: 800 });
  const { exp } = await enter(page, server, '/dashboard');
  await expect(page.getByRole('button', { name: 'User menu' })).toBeHidden();
  await press(page, page.getByRole('button', { name: 'Menu', exact: true }));
  const menu = page.locator('#compact-menu');
  const entries = await menu.getByRole('link').or(menu.getByRole('button')).allInnerTexts();
  // The buttons of the themes are icons.
  const texts = entries.map((text) => text.trim().replace(/\s+/g, ' ')).filter(Boolean);
  expect(texts).toEqual(['Dashboard', 'Profile', 'Billing $1.00', 'Docs', 'Log out']);
  await press(page, menu.getByRole('button', { name: 'Light' }));
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'wharf-light');
  await press(page, page.getByRole('button', { name: 'Menu', exact: true }));
  await press(page, menu.getByRole('link', { name: 'Profile' }));
  await expect(page).toHaveURL('/profile');
  await press(page, page.getByRole('button', { name: 'Menu', exact: true }));
  await press(page, menu.getByRole('button', { name: 'Log out' }));
  await expect(page).toHaveURL('/');
  expect(await storedAuth(page)).toMatchObject({ access: null, isAuth: false, exp });
  await page.goto('/profile');
  await expect(page).toHaveURL('/login');
});

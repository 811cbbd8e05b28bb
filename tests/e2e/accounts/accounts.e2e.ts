import { signUp } from '../../support/client/api.ts';
import { readCode } from '../../support/client/outbox.ts';
import { expect, test } from '../fixtures.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { press, tabTo, typeInto } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { newAddress, PASSWORD, PLAIN_PAGE, storedAuth } from '../support/people.ts';
import { watchSockets } from '../support/sockets.ts';
import { expectToast } from '../support/toasts.ts';

test('logging in, by keyboard: the password, the code, and a welcome', async ({
  page,
  server,
  secrets,
}) => {
  const email = newAddress();
  await signUp(server, email, PASSWORD);
  const main = page.getByRole('main');
  const bodies: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/users/send/email/')) bodies.push(request.postDataJSON());
  });
  await page.goto('/login');
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type(email);
  await typeInto(page, page.getByLabel('Password', { exact: true }), PASSWORD);
  await press(page, main.getByRole('button', { name: 'Show characters' }));
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
  const requestedAt = Date.now();
  await press(page, main.getByRole('button', { name: 'Login', exact: true }));

  await expect(page.getByLabel('Code')).toBeFocused();
  // The test waits for each mail, because a late one would be taken for the next.
  await readCode(server.outbox, email, requestedAt);
  await expectSound(page, main);
  await expect(main.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup');
  await expect(main.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/');
  const resentText = `New token sent to your email ${email}.`;
  await expect(page.getByText(resentText)).toHaveCount(0);
  await press(page, page.getByRole('button', { name: 'Login form' }));
  await expect(page.getByLabel('Email')).toBeFocused();
  await expect(page.getByLabel('Email')).toHaveValue(email);
  const requestedAgainAt = Date.now();
  await press(page, main.getByRole('button', { name: 'Login', exact: true }));
  await expect(page.getByLabel('Code')).toBeFocused();
  await readCode(server.outbox, email, requestedAgainAt);

  const resentAt = Date.now();
  await press(page, page.getByRole('button', { name: 'Resend code' }));
  await expectToast(page, resentText);
  const code = await readCode(server.outbox, email, resentAt);
  await page.keyboard.press('Shift+Tab');
  await tabTo(page, page.getByLabel('Code'));
  await page.keyboard.type(code === 999_999 ? '100000' : '999999');
  await expectToast(page, 'That code is incorrect or has expired.');
  // The refused code is selected, so that typing replaces it.
  await page.keyboard.type(String(code));
  await expect(page).toHaveURL('/dashboard');
  await expectToast(page, `Welcome back ${email}!`);
  expect(bodies).toEqual([{ password: PASSWORD }, { password: PASSWORD }, { password: 'nil' }]);
  const stored = await storedAuth(page);
  expect(stored).toEqual({
    access: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    userId: expect.stringMatching(/^[0-9a-z]{26}$/),
    exp: expect.any(Number),
    email,
    isAuth: true,
  });
  const thirtyDaysFrom = (time: number) => Math.floor(time / 1000) + 30 * 86_400;
  expect(stored.exp).toBeGreaterThanOrEqual(thirtyDaysFrom(resentAt));
  expect(stored.exp).toBeLessThanOrEqual(thirtyDaysFrom(Date.now()));
  // At the end of the run the server's log is searched for these secrets.
  expect([...secrets]).toEqual(expect.arrayContaining([PASSWORD, String(code)]));
});

test('a private page that was opened while signed out is opened after the login', async ({
  page,
  server,
}) => {
  const email = newAddress();
  await signUp(server, email, PASSWORD);
  await page.goto('/billing?from=mail');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  const requestedAt = Date.now();
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await page.getByLabel('Code').fill(String(await readCode(server.outbox, email, requestedAt)));
  await expect(page).toHaveURL('/billing?from=mail');
  await expectToast(page, `Welcome back ${email}!`);
});

test('a wrong password is said, and a wrong code is selected by the time that it is, unless it was changed', async ({
  page,
  server,
}) => {
  const email = newAddress();
  await signUp(server, email, PASSWORD);
  await page.goto('/dashboard');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(`not ${PASSWORD}`);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Incorrect email or password.');
  await expect(page).toHaveURL('/login');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  const field = page.getByLabel('Code');
  await expect(field).toBeFocused();
  /**
   * Watches for the moment at which the page says that the code is wrong. Resolves with a function that
   * returns what is selected in the field at that moment.
   */
  const watch = async () => {
    const handle = await field.evaluateHandle((one: HTMLInputElement) => {
      const selected = new Promise<string>((resolve) => {
        new MutationObserver((_changes, observer) => {
          if (!document.body.textContent.includes('That code is incorrect')) return;
          observer.disconnect();
          resolve(one.value.slice(one.selectionStart ?? 0, one.selectionEnd ?? 0));
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      });
      return { selected };
    });
    return () => handle.evaluate(({ selected }) => selected);
  };
  const first = await watch();
  await page.keyboard.type('999999');
  expect(await first()).toBe('999999');

  await expect(page.getByText('That code is incorrect or has expired.')).toBeHidden();
  const release = await holdRequests(page, '**/users/login');
  await page.keyboard.type('999998');
  await page.keyboard.press('Backspace');
  const second = await watch();
  release();
  expect(await second()).toBe('');
  await expect(field).toHaveValue('99999');
});

test('signing up, by keyboard: a mismatch sends nothing, the form can be changed, the code pasted', async ({
  page,
  server,
}) => {
  const email = newAddress();
  const main = page.getByRole('main');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto('/signup');
  await expect(main.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/login');
  await expect(main.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/');
  const fill = async (password: string, confirmation: string) => {
    await typeInto(page, page.getByLabel('Email'), email);
    await typeInto(page, page.getByLabel('Password', { exact: true }), password);
    await typeInto(page, page.getByLabel('Confirm password', { exact: true }), confirmation);
    await page.keyboard.press('Enter');
  };
  await fill(PASSWORD, `${PASSWORD}s`);
  const mismatch = "The passwords you entered don't match. Please try again.";
  await expectToast(page, mismatch);
  expect(requests.filter((url) => url.includes('/users/'))).toEqual([]);

  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Verify your email address' })).toBeVisible();
  await readCode(server.outbox, email);
  const resentAt = Date.now();
  await press(page, page.getByRole('button', { name: 'Resend code' }));
  await expectToast(page, `New code sent to ${email}.`);
  await readCode(server.outbox, email, resentAt);
  await tabTo(page, page.getByLabel('Code'));
  await press(page, page.getByRole('button', { name: 'Change it' }));
  await expect(page.getByLabel('Email')).toBeFocused();
  for (const label of ['Email', 'Password', 'Confirm password']) {
    await expect(page.getByLabel(label, { exact: true })).toHaveValue('');
  }

  const last = Date.now();
  await fill(PASSWORD, PASSWORD);
  const field = page.getByLabel('Code');
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(field).toHaveAttribute('inputmode', 'numeric');
  // A code that is pasted with a space in it is submitted by itself.
  const code = String(await readCode(server.outbox, email, last));
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page).toHaveURL('/dashboard');
  expect(await storedAuth(page)).toMatchObject({ email, isAuth: true });
});

test('a forgotten password, by keyboard: email, code, new password, and the old sessions end', async ({
  page,
  server,
}) => {
  const email = newAddress();
  const { token } = await signUp(server, email, PASSWORD);
  const renewed = 'another harbour';
  const main = page.getByRole('main');
  await page.goto('/login');
  await press(page, page.getByRole('link', { name: 'Forgot your password?' }));
  await expect(page).toHaveURL('/forgot-password');
  await expect(main.getByRole('link', { name: /Login/ })).toHaveAttribute('href', '/login');

  await typeInto(page, page.getByLabel('Email'), newAddress('wrong'));
  await press(page, page.getByRole('button', { name: 'Next step' }));
  await expect(page.getByLabel('Code')).toBeFocused();
  await press(page, page.getByRole('button', { name: 'Change it' }));
  await expect(page.getByLabel('Email')).toHaveValue('');
  const requestedAt = Date.now();
  await typeInto(page, page.getByLabel('Email'), email);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Code')).toHaveValue('');
  await readCode(server.outbox, email, requestedAt);
  const resentAt = Date.now();
  await press(page, page.getByRole('button', { name: 'Resend code' }));
  await expectToast(page, `New code sent to ${email}.`);
  const code = await readCode(server.outbox, email, resentAt);
  await tabTo(page, page.getByLabel('Code'));
  await page.keyboard.type(String(code));

  await expect(page.getByText('Must be at least 8 characters long.')).toBeVisible();
  await expectSound(page, main);
  await typeInto(page, page.getByLabel('New password', { exact: true }), renewed);
  await typeInto(page, page.getByLabel('Confirm new password', { exact: true }), `${renewed}x`);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Passwords do not match!');
  await page.keyboard.press('Backspace');
  await press(page, page.getByRole('button', { name: 'Update password' }));
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('heading', { name: 'Your Buckets' })).toBeVisible();

  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/users/profile`, { headers })).status).toBe(401);
  const path = `/users/send/email/no/auth/${email}/login`;
  const withOld = await page.request.post(path, { data: { password: PASSWORD } });
  expect(withOld.status()).toBe(401);
});

test('a trusted browser logs in without a code, until it is removed', async ({ page, server }) => {
  const sockets = await watchSockets(page);
  const email = newAddress();
  await signUp(server, email, PASSWORD);
  const main = page.getByRole('main');
  const enter = async () => {
    // A page that is open would be told that its session has ended, and lead to the login by itself.
    await page.goto(PLAIN_PAGE);
    await page.request.post('/users/logout');
    await page.evaluate(() => localStorage.clear());
    await page.goto('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  };
  await enter();
  await page.getByLabel('Trust this browser for 30 days').check();
  await expect(page.getByLabel('Trust this browser for 30 days')).toBeChecked();
  await expectSound(page, main);
  const requestedAt = Date.now();
  await press(page, main.getByRole('button', { name: 'Login', exact: true }));
  await page.getByLabel('Code').fill(String(await readCode(server.outbox, email, requestedAt)));
  await expect(page).toHaveURL('/dashboard');
  // A browser reports a socket that the server refuses, which a logout before its handshake would make it do.
  await expect.poll(() => sockets.isOpen).toBe(true);

  await enter();
  await press(page, main.getByRole('button', { name: 'Login', exact: true }));
  await expect(page).toHaveURL('/dashboard');
  await expect.poll(() => sockets.isOpen).toBe(true);
  await page.goto('/profile/security');
  const panel = page.getByRole('region', { name: 'Trusted browsers' });
  await expect(panel.getByRole('listitem')).toHaveText([/This browser.*Trusted until/]);
  await expectSound(page, panel);
  const logins = page.getByRole('region', { name: 'Recent logins' });
  await expect(logins.getByRole('listitem')).toHaveText([
    /Password in a trusted browser.*This browser/,
    /Password and code.*Ended/,
    /Signup.*Logged in/,
  ]);
  await expectSound(page, logins);
  await press(page, panel.getByRole('button', { name: /^Remove/ }));
  const dialog = page.getByRole('dialog', { name: 'Remove trusted browser' });
  await expect(dialog).toContainText('will need a code at its next login');
  await press(page, dialog.getByRole('button', { name: 'Remove' }));
  await expectToast(page, 'Browser removed.');
  await expect(panel).toContainText('No trusted browsers.');

  await enter();
  await press(page, main.getByRole('button', { name: 'Login', exact: true }));
  await expect(page.getByLabel('Code')).toBeFocused();
});

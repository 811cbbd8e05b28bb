import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { test as base, expect } from '../fixtures.ts';
import { holdRequests, placesOf } from '../support/hold-requests.ts';
import { expectSound } from '../support/look.ts';
import { keepSession, newAddress, PASSWORD } from '../support/people.ts';

const NOT_DELIVERED = 'The email could not be delivered. Check the address, or resend the code.';

/**
 * The server sends mails through an SMTP server that refuses addresses which begin with 'gone'. It is a
 * worker fixture, because open pages poll the status of a mail until they close.
 */
const test = base.extend<object, { smtp: { url: string; mails: string[] } }>({
  smtp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const mails: string[] = [];
      const server = new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS'],
        onRcptTo: ({ address }, _session, done) =>
          done(
            address.startsWith('gone')
              ? Object.assign(new Error('no such user'), { responseCode: 550 })
              : null,
          ),
        onData(stream, _session, done) {
          void text(stream).then((mail) => {
            mails.push(mail);
            done();
          });
        },
      });
      server.listen(0, '127.0.0.1');
      await once(server.server, 'listening');
      const { port } = server.server.address() as AddressInfo;
      await use({ url: `smtp://127.0.0.1:${port}`, mails });
      server.close();
    },
    { scope: 'worker' },
  ],
  serverEnv: [
    ({ smtp }, use) => use({ SMTP_URL: smtp.url, MAIL_FROM: 'wharf@example.com' }),
    { scope: 'worker' },
  ],
});

test('the page that waits for a code says that its mail could not be delivered', async ({
  page,
}) => {
  const tellStatus = await holdRequests(page, '**/users/mail/status*');
  await page.goto('/signup');
  await page.getByLabel('Email').fill(newAddress('gone'));
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Verify your email address' })).toBeVisible();
  const buttons = ['Verify', 'Resend code'].map((name) => page.getByRole('button', { name }));
  const before = await placesOf(...buttons);
  tellStatus();
  await expect(page.getByText(NOT_DELIVERED)).toBeVisible();
  expect(await placesOf(...buttons)).toEqual(before);
  await expectSound(page, page.getByRole('main'));
});

test('the profile says that the code mail to a new address could not be delivered', async ({
  page,
  server,
  smtp,
  secrets,
}) => {
  const email = newAddress();
  await page.request.post('/users/signup', { data: { email, password: PASSWORD } });
  await expect.poll(() => smtp.mails.length).toBe(1);
  const code = /^Subject: (\d{6}) /m.exec(smtp.mails[0] ?? '')?.[1] ?? '';
  secrets.add(code);
  const data = { email, email_token: Number(code) };
  const session = await (await page.request.post('/users/verify', { data })).json();
  await keepSession(page, server, session);

  await page.goto('/profile');
  await page.getByLabel('New email').fill(newAddress('gone'));
  await page.getByLabel('New email').press('Enter');
  await expect(page.getByText(NOT_DELIVERED)).toBeVisible();
});

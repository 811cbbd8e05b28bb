import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { startServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { authOf, newAddress, PASSWORD, storeAuth } from '../support/people.ts';

/** Takes mail, but for addresses that begin with 'gone'. */
async function startPickyMailServer() {
  const mails: string[] = [];
  const smtp = new SMTPServer({
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
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  return { smtp, mails, url: `smtp://127.0.0.1:${port}` };
}

test('the profile says that the code mail to a new address could not be delivered', async ({
  page,
  secrets,
}) => {
  const { smtp, mails, url } = await startPickyMailServer();
  const server = await startServerProcess({
    env: { SMTP_URL: url, MAIL_FROM: 'wharf@example.com' },
  });
  try {
    const email = newAddress();
    await page.request.post(`${server.url}/users/signup`, { data: { email, password: PASSWORD } });
    await expect.poll(() => mails.length).toBe(1);
    const code = /^Subject: (\d{6}) /m.exec(mails[0] ?? '')?.[1] ?? '';
    secrets.add(code);
    const data = { email, email_token: Number(code) };
    const session = await (await page.request.post(`${server.url}/users/verify`, { data })).json();
    await page.goto(`${server.url}/health`);
    await storeAuth(page, JSON.stringify(authOf(session)));

    await page.goto(`${server.url}/profile`);
    await page.getByLabel('New email').fill(newAddress('gone'));
    await page.getByLabel('New email').press('Enter');
    await expect(
      page.getByText('The email could not be delivered. Check the address, or resend the code.'),
    ).toBeVisible();
    await expectSound(page);
  } finally {
    await server.stop();
    smtp.close();
  }
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { form, PASSWORD } from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { until } from '../../support/client/wait.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';
import type { TestServer } from '../../support/server/server.ts';

const UNDELIVERABLE = 'The email could not be delivered. Check the address, or resend the code.';

type Received = { to: string; body: string };
const received: Received[] = [];
const tries = new Map<string, number>();
let smtp: SMTPServer;
let server: TestServer;
/** How far the server's clock is ahead, in milliseconds. */
let ahead = 0;

/** Refuses mails to addresses with 'busy' twice for now, and to those with 'gone' for good. */
function errorFor(address: string): Error | null {
  const count = (tries.get(address) ?? 0) + 1;
  tries.set(address, count);
  if (address.startsWith('gone'))
    return Object.assign(new Error('no such user'), { responseCode: 550 });
  if (address.startsWith('busy') && count < 3) {
    return Object.assign(new Error('try later'), { responseCode: 451 });
  }
  return null;
}

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(errorFor(address)),
    onData(stream, session, done) {
      // At the end of the tests a mail may be interrupted.
      void text(stream).then((body) => {
        for (const { address } of session.envelope.rcptTo) received.push({ to: address, body });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as AddressInfo;
  const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'wharf@example.com' };
  server = await startServerInProcess(settings, { clock: () => Date.now() + ahead });
});
afterAll(async () => {
  await server.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

async function signUp(email: string) {
  const client = browser(server.url);
  const started = performance.now();
  const response = await client.post('/users/signup', { email, password: PASSWORD });
  const status = async () => {
    const path = `/users/mail/status?email=${encodeURIComponent(email)}&purpose=signup`;
    return ((await (await client.fetch(path)).json()) as { failed: string | null }).failed;
  };
  return { client, status, answer: response, ms: performance.now() - started };
}

async function mailTo(email: string): Promise<string> {
  return (await until(async () => received.find((one) => one.to === email))).body;
}

test('a code arrives by SMTP, as text and as HTML, and finishes the signup', async () => {
  const email = 'first@example.com';
  const { client, status } = await signUp(email);
  const mail = await mailTo(email);
  const code = Number(/^Subject: (\d{6}) /m.exec(mail)?.[1]);
  expect(mail).toContain('text/html');
  expect(mail.match(new RegExp(String(code), 'g'))?.length).toBeGreaterThanOrEqual(3);
  expect(await status()).toBeNull();
  expect((await client.post('/users/verify', { email, email_token: code })).status).toBe(200);
});

test('451 is tried again until it is taken, and the page is told meanwhile', async () => {
  const email = 'busy@example.com';
  const { status } = await signUp(email);
  const ids = new Set<string | null>();
  while (!received.some((one) => one.to === email)) {
    ids.add(await status());
    await Bun.sleep(100);
    ahead += 1000;
  }
  expect(tries.get(email)).toBe(3);
  expect([...ids].join()).toContain('keep trying');
  await until(async () => (await status()) === null);
});

test('550 is recorded, told to the page, and never tried again', async () => {
  const email = 'gone@example.com';
  const { answer: response, status } = await signUp(email);
  expect(response.status).toBe(204);
  await until(async () => (await status()) !== null);
  expect(await status()).toBe(UNDELIVERABLE);
  // Another attempt would be due two seconds later, and the queue polls every second.
  ahead += 10_000;
  await Bun.sleep(1500);
  expect(tries.get(email)).toBe(1);
  const stranger = browser(server.url);
  const strangerResponse = await stranger.fetch(`/users/mail/status?email=${email}&purpose=signup`);
  expect(await strangerResponse.json()).toEqual({ failed: null });
});

test('a code that a logged-in user waits for is told of too, in the browser that asked', async () => {
  const email = 'mover@example.com';
  const { client } = await signUp(email);
  const code = Number(/^Subject: (\d{6}) /m.exec(await mailTo(email))?.[1]);
  const verified = await client.post('/users/verify', { email, email_token: code });
  const { token } = (await verified.json()) as { token: string };
  const requestCode = (fields: Record<string, string>) =>
    client.fetch('/users/email', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form(fields),
    });
  const status = async (about: string, purpose: string, from = client) => {
    const path = `/users/mail/status?email=${about}&purpose=${purpose}`;
    return (await (await from.fetch(path)).json()) as { failed: string | null };
  };

  const next = 'gone-too@example.com';
  expect((await requestCode({ subject: 'change-email', email: next })).status).toBe(204);
  await until(async () => (await status(next, 'change-email')).failed);
  expect(await status(next, 'change-email')).toEqual({ failed: UNDELIVERABLE });
  expect(await status(next, 'change-email', browser(server.url))).toEqual({ failed: null });

  for (const subject of ['change-password', 'delete-account']) {
    expect((await requestCode({ subject })).status).toBe(204);
    expect(await status(email, subject)).toEqual({ failed: null });
  }
  expect((await client.fetch(`/users/mail/status?email=${email}&purpose=else`)).status).toBe(422);
});

test('no answer waits for the mail server, nor fails with it', async () => {
  // This server accepts connections and never responds, so a request that waited for it would wait for
  // minutes.
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const offline = await startServerInProcess({ SMTP_URL: `smtp://127.0.0.1:${silent.port}` });
  const response = await browser(offline.url).post('/users/signup', {
    email: 'a@example.com',
    password: PASSWORD,
  });
  expect(response.status).toBe(204);
  await offline.stop();
  silent.stop(true);
});

import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describeMailer } from './conformance.ts';
import { type Mail, MailRefusedError } from './port.ts';
import { openSmtpMailer } from './smtp.ts';

const from = 'Wharf <post@wharf.example>';
const mail: Mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello' };

/** Starts a real SMTP server on loopback. For STARTTLS it uses the library's own test certificate. */
async function startServer(options: SMTPServerOptions = {}) {
  const sources: string[] = [];
  const envelopes: { from: string; to: string[]; secure: boolean }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      stream.on('end', () => {
        sources.push(Buffer.concat(chunks).toString());
        envelopes.push({
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
          to: session.envelope.rcptTo.map((one) => one.address),
          secure: session.secure,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const close = () => new Promise<void>((closed) => server.close(closed));
  return { port, sources, envelopes, close, [Symbol.asyncDispose]: close };
}

const replying = (code: number) => (_: unknown, __: unknown, done: (error: Error) => void) =>
  done(Object.assign(new Error('so it is'), { responseCode: code }));
const urlOf = ({ port }: { port: number }, login = '') =>
  `smtp://${login}127.0.0.1:${port}?tls.rejectUnauthorized=false`;
const failureOf = (url: string, timeout?: number): Promise<unknown> =>
  openSmtpMailer({ url, from, timeout })
    .send(mail)
    .then(
      () => 'was sent',
      (error: unknown) => error,
    );

describeMailer('the SMTP mailer', async () => {
  const server = await startServer();
  return {
    mailer: openSmtpMailer({ url: urlOf(server), from }),
    received: async () => server.sources,
    close: server.close,
  };
});

describe('the SMTP mailer by itself', () => {
  test('names one recipient, and encrypts where the server can', async () => {
    await using server = await startServer();
    await openSmtpMailer({ url: urlOf(server), from }).send(mail);
    expect(server.envelopes).toEqual([
      { from: 'post@wharf.example', to: ['ada@example.com'], secure: true },
    ]);
  });

  test('does not take a certificate that nobody vouches for', async () => {
    await using server = await startServer();
    const failure = await failureOf(`smtp://127.0.0.1:${server.port}`);
    expect(failure).toMatchObject({ code: 'ESOCKET' });
    expect(String(failure)).toStartWith('Error: The mail server of SMTP_URL: ');
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    expect(server.sources).toEqual([]);
  });

  test('sends in the clear only where the server offers no encryption', async () => {
    await using server = await startServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    await openSmtpMailer({ url: urlOf(server), from }).send(mail);
    expect(server.envelopes[0]?.secure).toBe(false);
    const failure = await failureOf(`${urlOf(server)}&requireTLS=true`);
    expect(failure).toMatchObject({ code: 'ETLS' });
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    expect(server.sources).toHaveLength(1);
  });

  test('logs in with what the URL says', async () => {
    const logins: unknown[] = [];
    await using server = await startServer({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    await openSmtpMailer({ url: urlOf(server, 'ada:p%40ss%2Fword@'), from }).send(mail);
    expect(logins).toEqual([['ada', 'p@ss/word']]);
    expect(server.sources).toHaveLength(1);
  });

  test.each([
    ['recipient', 'onRcptTo'],
    ['sender', 'onMailFrom'],
    ['message', 'onData'],
  ] as const)('gives up a mail whose %s is refused with 550', async (_, step) => {
    await using server = await startServer({ [step]: replying(550) });
    expect(await failureOf(urlOf(server))).toBeInstanceOf(MailRefusedError);
  });

  test.each([
    ['recipient', 'onRcptTo', 451],
    ['sender', 'onMailFrom', 421],
    ['message', 'onData', 452],
    ['session', 'onMailFrom', 503],
    ['login, which is missing,', 'onMailFrom', 530],
  ] as const)('keeps for later a mail whose %s is put off (%s, %d)', async (_, step, code) => {
    await using server = await startServer({ [step]: replying(code) });
    const failure = await failureOf(urlOf(server));
    expect(failure).toMatchObject({ responseCode: code });
    expect(failure).not.toBeInstanceOf(MailRefusedError);
  });

  test('keeps mails for later while the password is wrong', async () => {
    await using server = await startServer({
      onAuth: (_, __, done) =>
        done(Object.assign(new Error('Wrong password'), { responseCode: 535 })),
    });
    const failure = await failureOf(urlOf(server, 'ada:wrong@'));
    expect(failure).toMatchObject({ code: 'EAUTH', responseCode: 535 });
    expect(failure).not.toBeInstanceOf(MailRefusedError);
  });

  test('keeps a mail for later while nobody listens', async () => {
    const server = await startServer();
    await server.close();
    const failure = await failureOf(urlOf(server));
    expect(failure).toMatchObject({ code: 'ESOCKET' });
    expect(failure).not.toBeInstanceOf(MailRefusedError);
  });

  test('does not wait for ever for a server that says nothing', async () => {
    const silent = createServer(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    silent.listen(0, '127.0.0.1', resolve);
    await promise;
    const address = silent.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    const failure = await failureOf(`smtp://127.0.0.1:${port}`, 100);
    expect(failure).toMatchObject({ code: 'ETIMEDOUT' });
    expect(failure).not.toBeInstanceOf(MailRefusedError);
    silent.close();
  });
});

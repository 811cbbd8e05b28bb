import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createBucket, createToken, signUp, uploadImage } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { type ServerProcess, startServerProcess } from '../../support/server/server-process.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess({ isQuick: true });
});
afterAll(() => server.stop());

/** Waits for a text, because the log is written in batches. */
const logWith = (text: string) =>
  until(async () => {
    const log = await server.log();
    return log.includes(text) && log;
  });

/** Sends a request of HTTP/1.0 without a Host header, which our clients can't send. */
const rawRequest = (path: string) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.0\r\n\r\n`),
    );
    socket.on('error', reject);
    socket.once('data', (bytes) => resolve(socket.destroy() && bytes));
  });

test('no token, key or query is ever written to the log', async () => {
  const { token: session } = await signUp(server, 'log@example.org', 'a long enough password');
  const bucket = await createBucket(server, session, 'Logged');
  const jwt = await createToken(server, bucket);
  const image = new File([new Uint8Array(await photo())], 'a.jpg', { type: 'image/jpeg' });
  const file = await uploadImage(server, bucket, image, 'private');
  const base = `${server.url}/cdn/${bucket.id}/${file.id}`;
  const forged = `${jwt.slice(0, -4)}AAAA`;
  const secrets = [jwt, forged, session, bucket.api_key];

  const requests: [string, RequestInit?][] = [];
  for (const secret of secrets) {
    const query = `?jwt=${encodeURIComponent(secret)}`;
    requests.push(
      [`${file.url}${query}`],
      [`${file.url}${query}&download`, { headers: { range: 'bytes=0-5' } }],
      [`${file.url}${query}`, { headers: { range: 'bytes=99999999-' } }],
      [`${file.url}${query}`, { method: 'HEAD' }],
      [`${file.url}${query}`, { method: 'POST' }],
      [`${file.url}${query}`, { method: 'OPTIONS' }],
      [`${base}/nothing.webp${query}`],
      [`${base}/not a name${query}`],
      [`${server.url}/cdn/${query}`],
      [`${server.url}/nowhere${query}`],
      [`${server.url}/dashboard/files/${bucket.id}${query}`, { redirect: 'manual' }],
      [`${server.url}/embed/${bucket.id}/${file.id}${query}`],
      [
        `${server.url}/files/${bucket.id}${query}`,
        { headers: { authorization: `Bearer ${secret}` } },
      ],
      [`${server.url}/files/${bucket.id}${query}`, { headers: { 'x-api-key': secret } }],
      [`${server.url}/ws?user_id=x&token=${secret}`],
    );
  }
  for (const [address, init] of requests) await (await fetch(address, init)).arrayBuffer();
  // Without a Host header the URL that the server sees is only this text.
  for (const secret of secrets) await rawRequest(`/cdn/a/b/c.jpg?x=http://y/z&jwt=${secret}`);
  await fetch(`${server.url}/the-last-one`);

  const log = await logWith('/the-last-one');
  expect(log).toContain(`"path":"${new URL(file.url ?? '').pathname}","status":206`);
  expect(log).not.toContain('jwt=');
  expect(log).not.toContain('?');
  // The first part is the same in all tokens and not secret.
  const parts = secrets.flatMap((one) => (one.includes('.') ? one.split('.').slice(1) : [one]));
  for (const part of parts) expect(log).not.toContain(part);
});

test('a refused login is logged with the ids of its account and client', async () => {
  const { userId } = await signUp(server, 'refused@example.org');
  const body = JSON.stringify({ password: 'not the password' });
  const headers = { 'content-type': 'application/json' };
  const url = `${server.url}/users/send/email/no/auth/refused@example.org/login`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  const log = await logWith('login refused');
  const line = log.split('\n').find((one) => one.includes('login refused')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    what: 'password',
    reason: 'wrong',
    account: userId,
    client: expect.stringMatching(/^[\w-]{16}$/),
  });
  expect(line).not.toContain('@');
});

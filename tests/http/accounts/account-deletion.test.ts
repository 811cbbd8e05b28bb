import { afterAll, expect, spyOn, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBucket,
  createToken,
  form,
  PASSWORD,
  requestCode,
  signUp,
  type TestUser,
  uploadFile,
} from '../../support/client/api.ts';
import { browser } from '../../support/client/browser.ts';
import { readCode } from '../../support/client/outbox.ts';
import { locationOf } from '../../support/client/tus.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'wharf-deletion-'));
let server = await startServerInProcess({ SIGNUP_CREDIT: '2' }, { dataDir });
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const json = { 'content-type': 'application/json' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const remove = (user: TestUser, token: number) =>
  user.client.fetch('/users', {
    method: 'DELETE',
    headers: { ...user.authorization, ...json },
    body: JSON.stringify({ token }),
  });

/** Logs in from another browser and returns its token. */
async function logInElsewhere(email: string): Promise<string> {
  const client = browser(server.url);
  const requestedAt = Date.now();
  await client.post(`/users/send/email/no/auth/${email}/login`, { password: PASSWORD });
  const email_token = await readCode(server.outbox, email, requestedAt);
  const response = await client.post('/users/login', { email, password: PASSWORD, email_token });
  return ((await response.json()) as { token: string }).token;
}

const dial = (user: TestUser) =>
  new Promise<{ closed: Promise<number> } | null>((resolve) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?user_id=${user.userId}`, {
      headers: { cookie: user.client.cookies(), origin: server.url },
    } as never);
    const closed = new Promise<number>((done) => {
      socket.onclose = ({ code }) => done(code);
    });
    socket.onopen = () => resolve({ closed });
    socket.onerror = () => resolve(null);
  });

const tusHeaders = { 'tus-resumable': '1.0.0' };
async function beginTus(bucketId: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${server.url}/files/tus/${bucketId}`, {
    method: 'POST',
    headers: {
      ...tusHeaders,
      ...headers,
      'upload-length': '10',
      'upload-metadata': `filename ${btoa('a.png')},filetype ${btoa('image/png')}`,
    },
  });
  expect(response.status).toBe(201);
  return locationOf(response);
}

/** Returns the token of the undo link in the mail to a changed address. */
async function undoToken(address: string): Promise<string> {
  const names = (await readdir(server.outbox)).filter(
    (name) => name.endsWith('.eml') && name.includes(address),
  );
  for (const name of names) {
    const mail = (await readFile(join(server.outbox, name), 'utf8')).replaceAll('=\r\n', '');
    const token = /undo-email-change\?token=(?:3D)?([\w-]{43})/.exec(mail)?.[1];
    if (token) return token;
  }
  return '';
}

test('an account that is being deleted can do nothing, with whatever it still holds', async () => {
  const account = await signUp(server);
  const email = `moved-${account.email}`;
  const moveCode = await requestCode(server, account, 'change-email', { email });
  await account.client.fetch('/users/email', {
    method: 'PUT',
    headers: { ...account.authorization, ...json },
    body: JSON.stringify({ email, email_token: moveCode }),
  });
  const undo = await until(() => undoToken(account.email).then((token) => token || undefined));
  const user = { ...account, email };
  const bucket = await createBucket(server, user.token);
  const image = await photo();
  const open = await uploadFile(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
  const hidden = await uploadFile(server, bucket, 'image', { access: 'private' }, image, 'b.jpg');
  const read = await createToken(server, bucket);
  const write = await createToken(server, bucket, { scope: 'write' });
  const otherSession = await logInElsewhere(email);
  const key = { 'x-api-key': bucket.api_key };
  const tusByKey = await beginTus(bucket.id, key);
  const tusByToken = await beginTus(bucket.id, bearer(write));
  const chunk = (number: string) =>
    form(
      { client_id: 'half', chunk_number: number, total_chunks: '2', access: 'public' },
      new Blob(['the end']),
      'c.mp4',
    );
  const path = `/files/upload/video/${bucket.id}`;
  const upload = { method: 'POST', headers: key, body: chunk('1') };
  expect((await fetch(server.url + path, upload)).status).toBe(202);
  const sockets = [await dial(user), await dial(user)];
  expect((await fetch(`${hidden.url}?jwt=${read}`)).status).toBe(200);

  const code = await requestCode(server, user, 'delete-account');
  // The queue is stopped, so that the account stays in the middle of its deletion.
  await server.services.queue.stop();
  expect((await remove(user, code)).status).toBe(204);

  const imageForm = () => form({ access: 'public' }, new Blob([image as never]), 'd.jpg');
  const patch = (url: string, headers: Record<string, string>) =>
    fetch(url, {
      method: 'PATCH',
      headers: {
        ...tusHeaders,
        ...headers,
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: '0123456789',
    });
  const at = (method: string, to: string, headers = {}, body?: BodyInit) =>
    fetch(server.url + to, { method, headers, body, redirect: 'manual' });
  const name = JSON.stringify({ name: 'More' });
  const page = { accept: 'text/html', cookie: user.client.cookies() };
  const upTo = `/files/upload/image/${bucket.id}`;
  const mint = `/buckets/jwt/${bucket.id}/0/write`;
  const tries: Record<string, [Promise<Response>, number[]]> = {
    'the session reads': [at('GET', '/users/profile', user.authorization), [401]],
    'the session makes a bucket': [
      at('POST', '/buckets', { ...user.authorization, ...json }, name),
      [401],
    ],
    'the session uploads': [at('POST', upTo, user.authorization, imageForm()), [401]],
    'another session reads': [at('GET', '/buckets', bearer(otherSession)), [401]],
    'the cookie renders a page': [at('GET', '/dashboard', page), [302]],
    'the key lists': [at('GET', `/files/${bucket.id}`, key), [409]],
    'the key uploads': [at('POST', upTo, key, imageForm()), [409]],
    'the key goes on with chunks': [at('POST', path, key, chunk('0')), [409]],
    'the key mints a token': [at('POST', mint, key), [409]],
    'the key deletes': [at('DELETE', `/files/${bucket.id}/${open.id}`, key), [409]],
    'the key goes on by tus': [patch(tusByKey, key), [409]],
    'the key looks at its upload': [
      fetch(tusByKey, { method: 'HEAD', headers: { ...tusHeaders, ...key } }),
      [409],
    ],
    'the write token uploads': [at('POST', upTo, bearer(write), imageForm()), [401, 409]],
    'the write token goes on by tus': [patch(tusByToken, bearer(write)), [401, 409]],
    'a public file is delivered': [fetch(open.url ?? ''), [404]],
    'a private file is delivered': [fetch(`${hidden.url}?jwt=${read}`), [401, 404]],
    'the password logs in': [
      at('POST', `/users/send/email/no/auth/${email}/login`, json, `{"password":"${PASSWORD}"}`),
      [401],
    ],
    'the undo link gives the address back': [
      at('POST', '/users/email/undo', json, JSON.stringify({ token: undo })),
      [410],
    ],
    'the code deletes again': [remove(user, code), [401]],
  };
  for (const [what, [trying, refused]] of Object.entries(tries)) {
    const response = await trying;
    expect([what, refused.includes(response.status), response.status]).toEqual([
      what,
      true,
      response.status,
    ]);
  }
  expect((await at('GET', '/dashboard', page)).headers.get('location')).toBe('/login');
  for (const socket of sockets) expect(await socket?.closed).toBe(4401);
  expect(await dial(user)).toBeNull();
  // The response to a recovery is the same as for any address, but its challenge has no code.
  const recovery = `/users/send/email/no/auth/${email}/recovery`;
  const recovered = await user.client.post(recovery, { password: 'nil' });
  expect(recovered.status).toBe(204);
  const { db } = server;
  const challenges = await db
    .selectFrom('challenges')
    .select('code_mac')
    .where('purpose', '=', 'recovery')
    .where('email_key', '=', email)
    .execute();
  expect(challenges).toEqual([{ code_mac: '' }]);
  const files = db.selectFrom('files').select('id').where('bucket_id', '=', bucket.id);
  expect(await files.execute()).toHaveLength(2);
});

test('a deletion that a crash cuts off half-way goes on at the next start; the ledger stays, the address nowhere', async () => {
  // This is the server of the test above. The next server finishes what it was to do.
  await server.stop();
  server = await startServerInProcess({ SIGNUP_CREDIT: '2' }, { dataDir });
  const { db: before } = server;
  await until(async () => (await before.selectFrom('users').select('id').execute()).length === 0);

  const user = await signUp(server);
  const image = await photo();
  for (const name of ['One', 'Two']) {
    const bucket = await createBucket(server, user.token, name);
    await uploadFile(server, bucket, 'image', { access: 'public' }, image, 'a.jpg');
  }
  const { deletion } = server.services.files;
  const deleteAllOf = deletion.deleteAllOf.bind(deletion);
  let wiped = 0;
  const spy = spyOn(deletion, 'deleteAllOf').mockImplementation(async (bucketId) => {
    wiped += 1;
    if (wiped > 1) throw new Error('the power is gone');
    return deleteAllOf(bucketId);
  });
  const code = await requestCode(server, user, 'delete-account');
  expect((await remove(user, code)).status).toBe(204);
  await until(async () => wiped > 1);
  const remaining = await before.selectFrom('buckets').select('status').execute();
  expect(remaining).toEqual([{ status: 'deleting' }]);
  await server.stop();
  spy.mockRestore();

  server = await startServerInProcess({ SIGNUP_CREDIT: '2' }, { dataDir });
  const { db } = server;
  await until(async () => (await db.selectFrom('users').select('id').execute()).length === 0);
  for (const table of [
    'buckets',
    'files',
    'upload_sessions',
    'sessions',
    'known_browsers',
  ] as const) {
    expect([table, await db.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
  }
  await server.services.housekeeping.round();
  expect(await Array.fromAsync(server.services.objects.list(''))).toEqual([]);

  const entries = await db
    .selectFrom('ledger_entries')
    .select(['kind', 'amount'])
    .where('user_id', '=', user.userId)
    .orderBy('seq')
    .execute();
  expect(entries[0]).toEqual({ kind: 'credit', amount: 2_000_000 });
  expect(entries.at(-1)?.kind).toBe('forfeit');
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  const audit = await db.selectFrom('audit_log').selectAll().execute();
  const actions = audit.filter((row) => row.subject_id === user.userId).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(['user.signed-up', 'user.deleted', 'user.wiped']));
  for (const { name } of await db.introspection.getTables()) {
    const rows = await db
      .selectFrom(name as 'users')
      .selectAll()
      .execute();
    expect([name, JSON.stringify(rows).includes(user.email)]).toEqual([name, false]);
  }
});

import { afterAll, afterEach, expect, test } from 'bun:test';
import type {
  BucketWire,
  Page,
  WebhookAttemptDetailWire,
  WebhookAttemptWire,
} from '../../../server/contract/wire.ts';
import {
  createBucket,
  listFiles,
  requestCode,
  sendFile,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { type Received, startReceiver, verify } from '../../support/client/receiver.ts';
import { until } from '../../support/client/wait.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { freePort } from '../../support/server/free-port.ts';
import { sharedServer } from '../../support/server/server.ts';

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'yes' });
const user = await signUp(server);
const receiver = await startReceiver();
afterAll(() => receiver.stop());
afterEach(() => {
  receiver.received.splice(0);
  receiver.respondWith(() => new Response('thank you'));
});

type Bucket = { id: string; api_key: string };

const call = (
  method: string,
  path: string,
  body?: unknown,
  headers = user.authorization as Record<string, string>,
) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const json = async <Answer>(method: string, path: string, body?: unknown) =>
  (await (await call(method, path, body)).json()) as Answer;

const setWebhook = (bucket: Bucket, webhook: string) =>
  call('PUT', `/buckets/name/webhook/${bucket.id}`, { name: 'Hooked', webhook });
const secretOf = async (bucket: Bucket) =>
  (await json<{ secret: string }>('GET', `/buckets/webhook/secret/${bucket.id}`)).secret;
const deliveriesOf = (bucket: Bucket, query = '') =>
  json<Page<WebhookAttemptWire>>('GET', `/buckets/webhook/attempts/${bucket.id}${query}`);

async function hooked(url = receiver.url) {
  const bucket = await createBucket(server, user.token);
  expect((await setWebhook(bucket, url)).status).toBe(200);
  return bucket;
}

const upload = (bucket: Bucket, bytes: Uint8Array, name = 'a.jpg') =>
  sendFile(server, bucket, 'image', { access: 'public', webp: '' }, bytes, name);

/** These bytes begin like a JPEG but are not an image. */
const BROKEN_JPEG = Uint8Array.from([
  0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1, 9, 9, 9, 9,
]);

test('the webhook is told of success, error and deletion, each signed', async () => {
  const bucket = await hooked();
  const secret = await secretOf(bucket);
  const good = await upload(bucket, await photo());
  const success = await receiver.waitFor(({ body }) => body.type === 'file.success');
  const listed = await waitForFile(server, bucket, good.id);
  expect(verify(secret, success)).toEqual({
    type: 'file.success',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: { file: listed },
  });

  const bad = await upload(bucket, BROKEN_JPEG, 'bad.jpg');
  const error = await receiver.waitFor(({ body }) => body.type === 'file.error');
  expect(verify(secret, error)).toMatchObject({
    data: { file: { id: bad.id, status: 'error', error: expect.any(String), url: null } },
  });

  expect((await call('DELETE', `/files/${bucket.id}/${good.id}`)).status).toBe(204);
  const deleted = await receiver.waitFor(({ body }) => body.type === 'file.deleted');
  expect(verify(secret, deleted)).toMatchObject({ data: { file: { id: good.id } } });
  expect(receiver.received).toHaveLength(3);
  await until(async () =>
    (await deliveriesOf(bucket)).data.every(({ state }) => state === 'delivered'),
  );
  const { data } = await deliveriesOf(bucket);
  expect(
    data.map(({ type, status, response, attempts, next }) => ({
      type,
      status,
      response,
      attempts,
      next,
    })),
  ).toEqual(
    ['file.deleted', 'file.error', 'file.success'].map((type) => ({
      type: type as never,
      status: 200,
      response: 'thank you',
      attempts: 1,
      next: null,
    })),
  );
});

test('without a webhook nothing is kept, and a delivery is not begun', async () => {
  const bucket = await createBucket(server, user.token);
  const file = await upload(bucket, await photo());
  await waitForFile(server, bucket, file.id);
  expect((await deliveriesOf(bucket)).data).toEqual([]);
});

test('the deletion of a bucket tells once of the bucket, after it is gone', async () => {
  const bucket = await hooked();
  const secret = await secretOf(bucket);
  const files = [await upload(bucket, await photo()), await upload(bucket, await photo())];
  for (const { id } of files) await receiver.waitFor(({ body }) => body.data.file?.id === id);
  receiver.respondWith(() => new Response('later', { status: 503 }));
  const before = receiver.received.length;
  const email_token = await requestCode(server, user, 'delete-bucket', { bucket_id: bucket.id });
  const removed = await user.client.fetch(`/buckets/${bucket.id}`, {
    method: 'DELETE',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ email_token }),
  });
  expect(removed.status).toBe(204);
  const told = await receiver.waitFor(({ body }) => body.type === 'bucket.deleted');
  expect(verify(secret, told)).toEqual({
    type: 'bucket.deleted',
    timestamp: expect.any(String),
    data: { bucket: bucket.id },
  });
  expect((await call('GET', `/buckets/${bucket.id}`)).status).toBe(404);
  // The delivery outlives the bucket: it is attempted again.
  receiver.respondWith(() => new Response('now'));
  await until(async () => receiver.received.length > before + 1);
  const types = receiver.received.slice(before).map(({ body }) => body.type);
  expect(new Set(types)).toEqual(new Set(['bucket.deleted']));
  expect((await call('GET', `/buckets/webhook/attempts/${bucket.id}`)).status).toBe(404);
});

test('a test is sent once, shown with its answer, and can be replayed with the same id', async () => {
  const bucket = await hooked();
  receiver.respondWith(() => new Response('not ready', { status: 500 }));
  const response = await call('POST', `/buckets/webhook/test/${bucket.id}`);
  expect(response.status).toBe(202);
  const delivery = (await response.json()) as WebhookAttemptWire;
  const { id } = delivery;
  expect(delivery).toMatchObject({
    type: 'webhook.test',
    state: 'failed',
    status: 500,
    response: 'not ready',
    attempts: 1,
    next: null,
  });
  expect(verify(await secretOf(bucket), receiver.received[0] as Received)).toMatchObject({
    type: 'webhook.test',
    data: { bucket: bucket.id },
  });
  expect((await deliveriesOf(bucket)).data).toEqual([delivery]);
  expect((await call('POST', `/buckets/webhook/replay/${bucket.id}/${id}`)).status).toBe(202);
  await until(async () => (await deliveriesOf(bucket)).data[0]?.state === 'failed');
  receiver.respondWith(() => new Response('ready'));
  expect((await call('POST', `/buckets/webhook/replay/${bucket.id}/${id}`)).status).toBe(202);
  await until(async () => (await deliveriesOf(bucket)).data[0]?.state === 'delivered');
  // Deliveries of the previous test's bucket may arrive meanwhile.
  const tests = receiver.received.filter(({ body }) => body.type === 'webhook.test');
  expect(tests.map((one) => one.id)).toEqual([id, id, id]);
  expect((await deliveriesOf(bucket)).data[0]).toMatchObject({ attempts: 3, response: 'ready' });
});

test('a test that is requested twice with one key is sent once', async () => {
  const bucket = await hooked();
  const headers = { ...user.authorization, 'idempotency-key': crypto.randomUUID() };
  const path = `/buckets/webhook/test/${bucket.id}`;
  const first = await call('POST', path, undefined, headers);
  const second = await call('POST', path, undefined, headers);
  expect([first.status, second.status]).toEqual([202, 202]);
  expect(await second.json()).toEqual(await first.json());
  expect(receiver.received).toHaveLength(1);
});

test('a test that gets no answer says why at once, and another can be sent', async () => {
  const bucket = await hooked(`http://127.0.0.1:${await freePort()}/hook`);
  for (let count = 0; count < 2; count += 1) {
    expect(await json('POST', `/buckets/webhook/test/${bucket.id}`)).toMatchObject({
      state: 'failed',
      status: null,
      response: 'The connection was refused.',
      next: null,
    });
  }
});

test('an attempt that is under way is listed as that, not as one of a minute later', async () => {
  const bucket = await hooked();
  let release = () => {};
  const pending = new Promise<void>((resolve) => {
    release = resolve;
  });
  receiver.respondWith(async () => {
    await pending;
    return new Response('at last');
  });
  const test = json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
  await receiver.waitFor(({ body }) => body.type === 'webhook.test');
  const [underWay] = (await deliveriesOf(bucket)).data;
  expect(underWay).toMatchObject({ state: 'waiting', attempts: 1, status: null, response: null });
  expect(Date.parse(underWay?.next ?? '')).toBeLessThanOrEqual(Date.now());
  expect((await call('POST', `/buckets/webhook/test/${bucket.id}`)).status).toBe(429);
  release();
  expect(await test).toMatchObject({ state: 'delivered', status: 200, response: 'at last' });
});

test('410 turns the webhook off; a test that is taken, or another URL, turns it on again', async () => {
  const bucket = await hooked();
  const state = async () =>
    (await json<BucketWire>('GET', `/buckets/${bucket.id}`)).webhook_disabled_at;
  const goesOff = async () => {
    receiver.respondWith(() => new Response('gone', { status: 410 }));
    const { id } = await upload(bucket, await photo());
    await until(async () => (await state()) !== null);
    return waitForFile(server, bucket, id);
  };
  expect(await state()).toBeNull();
  await goesOff();
  const count = (await deliveriesOf(bucket)).data.length;
  await waitForFile(server, bucket, (await upload(bucket, await photo())).id);
  expect((await deliveriesOf(bucket)).data).toHaveLength(count);
  const [last] = (await deliveriesOf(bucket)).data;
  expect((await call('POST', `/buckets/webhook/replay/${bucket.id}/${last?.id}`)).status).toBe(409);
  // A change of the name does not affect the webhook.
  await setWebhook(bucket, receiver.url);
  expect(await state()).not.toBeNull();
  receiver.respondWith(() => new Response('back'));
  expect((await call('POST', `/buckets/webhook/test/${bucket.id}`)).status).toBe(202);
  await until(async () => (await state()) === null);
  await goesOff();
  await setWebhook(bucket, `${receiver.url}/new`);
  expect(await state()).toBeNull();
});

test('the secret is made once, rolls, and for a day the old one still verifies', async () => {
  const bucket = await hooked();
  const old = await secretOf(bucket);
  expect(old).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  expect(await secretOf(bucket)).toBe(old);
  const { secret } = await json<{ secret: string }>(
    'PUT',
    `/buckets/roll/webhook-secret/${bucket.id}`,
  );
  expect(secret).not.toBe(old);
  expect(await secretOf(bucket)).toBe(secret);
  const { id } = await json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
  const delivery = await receiver.waitFor((one) => one.id === id);
  expect(verify(secret, delivery)).toEqual(verify(old, delivery));
});

test('nobody else sees or does anything, and the API key least of all', async () => {
  const bucket = await hooked();
  const { id } = await json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
  await receiver.waitFor((one) => one.id === id);
  const stranger = await signUp(server);
  const other = await createBucket(server, user.token);
  const calls: [string, string][] = [
    ['GET', `/buckets/webhook/secret/${bucket.id}`],
    ['PUT', `/buckets/roll/webhook-secret/${bucket.id}`],
    ['GET', `/buckets/webhook/attempts/${bucket.id}`],
    ['POST', `/buckets/webhook/replay/${bucket.id}/${id}`],
    ['POST', `/buckets/webhook/test/${bucket.id}`],
  ];
  const before = await secretOf(bucket);
  for (const [method, path] of calls) {
    const by = async (headers: Record<string, string>) =>
      (await call(method, path, undefined, headers)).status;
    expect([path, await by(stranger.authorization)]).toEqual([path, 404]);
    expect([path, await by({ 'x-api-key': bucket.api_key })]).toEqual([path, 401]);
    expect([path, await by({ authorization: `Bearer ${bucket.api_key}` })]).toEqual([path, 401]);
    expect([path, await by({})]).toEqual([path, 401]);
  }
  expect(await secretOf(bucket)).toBe(before);
  expect((await call('POST', `/buckets/webhook/replay/${other.id}/${id}`)).status).toBe(404);
  expect((await call('POST', `/buckets/webhook/test/${other.id}`)).status).toBe(409);
  expect((await call('GET', '/buckets/webhook/secret/01jwnnsvg0rcan9jrmmh2f51q7')).status).toBe(
    404,
  );
  expect((await call('GET', `/buckets/webhook/attempts/${bucket.id}?limit=51`)).status).toBe(422);
});

test('no list, page or row holds a secret', async () => {
  const bucket = await hooked();
  const secret = await secretOf(bucket);
  const { id } = await json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
  await receiver.waitFor((one) => one.id === id);
  const cookie = user.client.cookies();
  const states = [
    await (await call('GET', '/buckets')).text(),
    await (await call('GET', `/buckets/${bucket.id}`)).text(),
    await (await call('GET', `/buckets/webhook/attempts/${bucket.id}`)).text(),
    JSON.stringify(await listFiles(server, bucket)),
    await (
      await fetch(`${server.url}/dashboard/settings/${bucket.id}`, { headers: { cookie } })
    ).text(),
    JSON.stringify(await server.db.selectFrom('buckets').selectAll().execute()),
    JSON.stringify(await server.db.selectFrom('webhook_deliveries').selectAll().execute()),
  ];
  for (const text of states) expect(text).not.toContain(secret.slice('whsec_'.length));
});

test('deliveries come page by page, newest first', async () => {
  const bucket = await hooked();
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { id } = await json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
    ids.unshift(id);
    await until(async () => (await deliveriesOf(bucket)).data[0]?.state === 'delivered');
  }
  const first = await deliveriesOf(bucket, '?limit=2');
  const rest = await deliveriesOf(bucket, `?limit=2&cursor=${first.nextId}`);
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
  expect(rest.nextId).toBeNull();
});

test('a delivery says what was sent: its URL, its headers and its payload, and to nobody else', async () => {
  const bucket = await hooked();
  const attemptsPath = `/buckets/webhook/attempts/${bucket.id}`;
  const secret = await secretOf(bucket);
  const { id } = await json<WebhookAttemptWire>('POST', `/buckets/webhook/test/${bucket.id}`);
  const sent = await receiver.waitFor(({ body }) => body.type === 'webhook.test');
  const detail = await json<WebhookAttemptDetailWire>('GET', `${attemptsPath}/${id}`);
  expect(detail).toMatchObject({ id, type: 'webhook.test', state: 'delivered', status: 200 });
  expect(detail).toMatchObject({ payload: sent.text, request_url: receiver.url });
  expect(sent.headers).toMatchObject(detail.request_headers as Record<string, string>);
  expect(
    verify(secret, { ...sent, headers: detail.request_headers as never, text: detail.payload }),
  ).toEqual(sent.body);
  expect(JSON.stringify(detail)).not.toContain('whsec_');
  expect(detail.attempted).toBeString();

  const other = await hooked();
  expect((await call('GET', `/buckets/webhook/attempts/${other.id}/${id}`)).status).toBe(404);
  const stranger = (await signUp(server)).authorization;
  const key = { 'x-api-key': bucket.api_key };
  for (const [method, path, body] of [
    ['GET', `${attemptsPath}/${id}`, undefined],
    ['POST', `/buckets/webhook/replay/${bucket.id}`, { state: 'failed' }],
  ] as const) {
    expect((await call(method, path, body, stranger)).status).toBe(404);
    expect((await call(method, path, body, key)).status).toBe(401);
  }
  expect(receiver.received.filter(({ body }) => body.type === 'webhook.test')).toHaveLength(1);
});

test('deliveries are filtered by event, outcome and day, and what matches is sent again', async () => {
  const bucket = await hooked();
  const [good] = [await upload(bucket, await photo())];
  await receiver.waitFor(({ body }) => body.type === 'file.success');
  // It is not retried by itself, which would deliver it before it is sent again.
  const headers = { 'retry-after': '3600' };
  receiver.respondWith(() => new Response('a storm', { status: 500, headers }));
  await call('DELETE', `/files/${bucket.id}/${good.id}`);
  await until(
    async () => (await deliveriesOf(bucket, '?type=file.deleted')).data[0]?.status === 500,
  );
  await call('POST', `/buckets/webhook/test/${bucket.id}`);
  const typesOf = async (query: string) =>
    (await deliveriesOf(bucket, query)).data.map(({ type }) => type);
  const today = new Date().toISOString().slice(0, 10);
  expect(await typesOf('?type=file.success')).toEqual(['file.success']);
  expect(await typesOf('?state=waiting')).toEqual(['file.deleted']);
  expect(await typesOf('?state=failed')).toEqual(['webhook.test']);
  expect(await typesOf('?state=delivered&type=file.deleted')).toEqual([]);
  expect(await typesOf(`?from=${today}&type=&state=`)).toHaveLength(3);
  expect(await typesOf('?to=2026-01-01')).toEqual([]);
  expect((await call('GET', `/buckets/webhook/attempts/${bucket.id}?type=none`)).status).toBe(422);
  expect((await call('GET', `/buckets/webhook/attempts/${bucket.id}?state=none`)).status).toBe(422);

  const replay = (body: object) => call('POST', `/buckets/webhook/replay/${bucket.id}`, body);
  const state = 'undelivered';
  const answer = async (body: object) => (await replay(body)).json();
  for (const body of [{}, [], { state: 'none' }, { state, type: 5 }, { state, from: 'today' }]) {
    expect((await replay(body)).status).toBe(422);
  }
  expect((await replay({ state, tz: 'Nowhere' })).status).toBe(400);
  receiver.received.splice(0);
  receiver.respondWith(() => new Response('calm again'));
  const nothing = { replayed: 0, has_more: false };
  expect(await answer({ state, type: 'file.error' })).toEqual(nothing);
  expect(await answer({ state, to: '2026-01-01' })).toEqual(nothing);
  expect(await answer({ state, type: 'webhook.test' })).toEqual(nothing);
  expect(await answer({ state })).toEqual({ replayed: 1, has_more: false });
  await receiver.waitFor(({ body }) => body.type === 'file.deleted');
  await until(async () => (await typesOf('?state=delivered')).length === 2);
  expect(await answer({ state })).toEqual(nothing);
  expect(await answer({ state: 'delivered' })).toEqual({ replayed: 2, has_more: false });
  await receiver.waitFor(({ body }) => body.type === 'file.success');
  expect(receiver.received.map(({ body }) => body.type)).not.toContain('webhook.test');

  await setWebhook(bucket, '');
  expect((await replay({ state: 'delivered' })).status).toBe(409);
});

import { afterAll, expect, test } from 'bun:test';
import type { WebhookAttemptWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp, uploadImage } from '../../support/client/api.ts';
import { startReceiver, verify } from '../../support/client/receiver.ts';
import { until } from '../../support/client/wait.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { groupServer } from '../../support/server/group-server.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

const server = await groupServer();
const user = await signUp(server);
const receiver = await startReceiver();
afterAll(() => receiver.stop());

const setWebhook = (url: string, id: string, webhook: string, token: string) =>
  fetch(`${url}/buckets/name/webhook/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Hooked', webhook }),
  });

test('without leave of whoever runs the server no webhook may lead to an inner address', async () => {
  const bucket = await createBucket(server, user.token);
  for (const webhook of [
    receiver.url,
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'http://0x7f.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://10.1.2.3:8080/',
  ]) {
    const response = await setWebhook(server.url, bucket.id, webhook, user.token);
    expect([webhook, response.status, await response.text()]).toEqual([
      webhook,
      422,
      "This webhook URL isn't allowed. The host resolves to an address that is not public. " +
        'The operator of this server can allow it with WEBHOOK_ALLOW_PRIVATE=yes.',
    ]);
  }
});

test('one that came to be saved all the same gets nothing', async () => {
  const bucket = await createBucket(server, user.token);
  const { db } = server;
  await db
    .updateTable('buckets')
    .set({ webhook: receiver.url })
    .where('id', '=', bucket.id)
    .execute();
  const headers = user.authorization;
  const path = `${server.url}/buckets/webhook`;
  await fetch(`${path}/test/${bucket.id}`, { method: 'POST', headers });
  const delivery = await until(async () => {
    const response = await fetch(`${path}/attempts/${bucket.id}`, { headers });
    const { data } = (await response.json()) as { data: WebhookAttemptWire[] };
    return data.find(({ state }) => state === 'failed');
  });
  expect(delivery).toMatchObject({
    status: null,
    response: 'The host resolves to an address that is not public.',
  });
  expect(receiver.received).toEqual([]);
});

test('kill -9 before an answer came: it is delivered after the restart, with the same id, and the log holds nothing of it', async () => {
  const endpoint = await startReceiver(() => new Promise<Response>(() => {}));
  const wharf = await startServerProcess({ isQuick: true, env: { WEBHOOK_ALLOW_PRIVATE: 'yes' } });
  try {
    const session = await signUp(wharf);
    const bucket = await createBucket(wharf, session.token, 'Crash');
    const hidden = `${endpoint.url}?token=in-the-query`;
    expect((await setWebhook(wharf.url, bucket.id, hidden, session.token)).status).toBe(200);
    const headers = { authorization: `Bearer ${session.token}` };
    const response = await fetch(`${wharf.url}/buckets/webhook/secret/${bucket.id}`, { headers });
    const { secret } = (await response.json()) as { secret: string };
    const photo = new File([new Uint8Array(await makePhoto())], 'a.jpg');
    const file = await uploadImage(wharf, bucket, photo);
    const first = await endpoint.waitFor(({ body }) => body.type === 'file.success');
    endpoint.respondWith(() => new Response('at last'));
    await wharf.restart('SIGKILL');
    const second = await endpoint.waitFor((one) => one !== first);
    expect(second.id).toBe(first.id);
    expect(verify(secret, second)).toMatchObject({ data: { file: { id: file.id } } });
    await Bun.sleep(2_500);
    expect(endpoint.received).toHaveLength(2);
    const log = await wharf.log();
    expect(log).toContain('/buckets/webhook/secret/');
    expect(log).not.toContain(secret);
    expect(log).not.toContain('in-the-query');
  } finally {
    await wharf.stop();
    await endpoint.stop();
  }
});

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { processesIn } from '../../../media/testing/processes.ts';
import type { BucketWire, FileEvent, FileWire } from '../../../server/contract/wire.ts';
import { ownerPrincipal } from '../../../server/features/access/principal.ts';
import { foldName } from '../../../server/platform/db/listing.ts';
import { newId } from '../../../server/platform/ids.ts';
import {
  createBucket,
  form,
  listFiles,
  requestCode,
  signUp,
  type TestUser,
  uploadFile,
} from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { LONG_CLIP_SIZES, longClip, photo } from '../../support/fixtures/make-media.ts';
import { sharedServerInProcess } from '../../support/server/in-process-server.ts';

type Bucket = { id: string; api_key: string };

const server = await sharedServerInProcess();
const user = await signUp(server);

const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = user.authorization,
) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

const send = (bucket: Bucket, kind: 'image' | 'video', body: FormData) =>
  fetch(`${server.url}/files/upload/${kind}/${bucket.id}`, {
    method: 'POST',
    headers: { 'x-api-key': bucket.api_key },
    body,
  });
const video = (fields: Record<string, string>, bytes: Buffer) =>
  form({ chunk_number: '0', total_chunks: '1', ...fields }, new Blob([bytes as never]), 'clip.mp4');

const image = async (bucket: Bucket, access = 'public') =>
  uploadFile(server, bucket, 'image', { access, webp: 'yes' }, await photo(), 'p.jpg');

const objectsOf = async (name: string) =>
  (await Array.fromAsync(server.services.objects.list(''))).filter(({ key }) => key.includes(name))
    .length;

test('a creation that is sent twice with one key creates one bucket, and other accounts are not concerned', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() };
  const create = (body: object, by = user.authorization, headers: object = key) =>
    call('POST', '/buckets/', body, { ...by, ...headers });
  const form = { name: 'Once', region: 'WEUR' };
  const responses = await Promise.all([create(form), create(form)]);
  responses.push(await create(form));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  const ids = (await Promise.all(responses.map((response) => response.json()))).map(({ id }) => id);
  expect(new Set(ids).size).toBe(1);
  const { data } = await (await call('GET', '/buckets/?name=once')).json();
  expect(data).toHaveLength(1);

  const other = await create({ name: 'Twice' });
  expect([other.status, await other.text()]).toEqual([
    409,
    'This Idempotency-Key was used for another request. Send a new one for each request.',
  ]);
  const stranger = await signUp(server);
  const theirs = await create(form, stranger.authorization);
  expect(theirs.status).toBe(201);
  expect(ids).not.toContain((await theirs.json()).id);
  const malformed = await create(form, user.authorization, { 'idempotency-key': 'again' });
  expect([malformed.status, await malformed.text()]).toEqual([
    422,
    'Idempotency-Key must be a new UUID for each request.',
  ]);
  expect((await create(form, {} as never)).status).toBe(401);
});

test('name and webhook change together; an empty webhook turns it off', async () => {
  const bucket = await createBucket(server, user.token);
  const path = `/buckets/name/webhook/${bucket.id}`;
  const changed = await call('PUT', path, {
    name: ' Renamed ',
    webhook: 'https://hooks.example/a?b=c',
  });
  expect([changed.status, await changed.json()]).toEqual([
    200,
    expect.objectContaining({ name: 'Renamed', webhook: 'https://hooks.example/a?b=c' }),
  ]);
  const off = await call('PUT', path, { name: 'Renamed', webhook: '' });
  expect(((await off.json()) as BucketWire).webhook).toBe('');
  expect(
    ((await (await call('GET', '/buckets?name=renamed')).json()) as { data: unknown[] }).data,
  ).toHaveLength(1);
  for (const webhook of [
    'ftp://x',
    'javascript:alert(1)',
    'hooks.example',
    'https://me:secret@hooks.example',
    `https://x/${'y'.repeat(2048)}`,
  ]) {
    expect((await call('PUT', path, { name: 'a', webhook })).status).toBe(422);
  }
  expect((await call('PUT', path, { name: '', webhook: '' })).status).toBe(422);
  expect((await call('PUT', path, { name: 5 })).status).toBe(422);
  const stranger = await signUp(server);
  expect((await call('PUT', path, { name: 'a', webhook: '' }, stranger.authorization)).status).toBe(
    404,
  );
  expect(
    (await call('PUT', path, { name: 'a', webhook: '' }, { 'x-api-key': bucket.api_key })).status,
  ).toBe(401);
});

test('buckets are listed by whole days in UTC or another zone, both inclusive, beside words of the name', async () => {
  const me = await signUp(server);
  const names: [string, string][] = [
    ['Summer eve', '2025-03-09T23:59:59.999Z'],
    ['Summer dawn', '2025-03-10T00:00:00.000Z'],
    ['Winter night', '2025-03-11T23:59:59.999Z'],
    ['Summer morrow', '2025-03-12T00:00:00.000Z'],
  ];
  const { id } = await createBucket(server, user.token, 'Autumn');
  const buckets = server.db.selectFrom('buckets').selectAll().where('id', '=', id);
  const bucket = await buckets.executeTakeFirstOrThrow();
  for (const [name, date] of names) {
    const created_at = Date.parse(date);
    const id = newId(created_at);
    const own = { id, user_id: me.userId, name, name_key: foldName(name), unused_key_mac: name };
    await server.db
      .insertInto('buckets')
      .values({ ...bucket, ...own, created_at })
      .execute();
  }
  const path = async (query: string) => {
    const response = await call('GET', `/buckets?${query}`, undefined, me.authorization);
    return ((await response.json()) as { data: BucketWire[] }).data.map(({ name }) => name).sort();
  };
  expect(await path('from=2025-03-10&to=2025-03-11')).toEqual(['Summer dawn', 'Winter night']);
  expect(await path('from=2025-03-10&to=2025-03-10')).toEqual(['Summer dawn']);
  expect(await path('from=2025-03-12&to=')).toEqual(['Summer morrow']);
  expect(await path('from=&to=2025-03-09')).toEqual(['Summer eve']);
  expect(await path('from=2025-03-12&to=2025-03-09')).toEqual([]);
  expect(await path('name=summer&from=2025-03-10&to=2025-03-11')).toEqual(['Summer dawn']);
  const day = (date: string, zone: string) => path(`from=${date}&to=${date}&tz=${zone}`);
  expect(await day('2025-03-10', 'UTC')).toEqual(['Summer dawn']);
  expect(await day('2025-03-09', 'America/Los_Angeles')).toEqual(['Summer dawn', 'Summer eve']);
  expect(await day('2025-03-11', 'America/Los_Angeles')).toEqual(['Summer morrow', 'Winter night']);
  expect(await day('2025-03-12', 'Pacific/Auckland')).toEqual(['Summer morrow', 'Winter night']);
  for (const query of ['from=2025-03-10&tz=Mars/Olympus', 'tz=%2B05:30', 'tz=x']) {
    const response = await call('GET', `/buckets?${query}`, undefined, me.authorization);
    expect([response.status, await response.text()]).toEqual([
      400,
      'tz must be an IANA time zone like Europe/Berlin.',
    ]);
  }

  const page = async (query: string) => (await me.client.fetch(`/dashboard?${query}`)).text();
  const html = await page('name=summer&from=2025-03-10&to=2025-03-11');
  expect(html).toContain('Summer dawn');
  for (const other of ['Summer eve', 'Winter night', 'Summer morrow'])
    expect(html).not.toContain(other);
  expect(html).toContain('10/03/2025 – 11/03/2025');
  const zoned = await page('from=2025-03-09&to=2025-03-09&tz=America/Los_Angeles');
  expect(zoned).toContain('Summer dawn');
  expect(zoned).not.toContain('Winter night');
  expect(await page('from=2025-02-30&to=x&name=%00&tz=x')).toContain('Your Buckets');
  const unknown = await page('from=2025-03-10&to=2025-03-10&tz=Mars/Olympus');
  expect(unknown).toContain('Summer dawn');
  expect(unknown).not.toContain('Summer eve');
});

test('rolling the key kills the old one and every token of the bucket at once', async () => {
  const bucket = await createBucket(server, user.token);
  const file = await image(bucket, 'private');
  const mint = async (scope: string) =>
    (
      (await (await call('POST', `/buckets/jwt/${bucket.id}/0/${scope}`, {})).json()) as {
        jwt: string;
      }
    ).jwt;
  const [read, write] = [await mint('read'), await mint('write')];
  const { jwt } = await listFiles(server, bucket);
  expect((await fetch(`${file.url}?jwt=${read}`)).status).toBe(200);
  const stranger = await signUp(server);
  const path = `/buckets/roll/api-key/${bucket.id}`;
  expect((await call('PUT', path, undefined, stranger.authorization)).status).toBe(404);
  expect((await call('PUT', path, undefined, { 'x-api-key': bucket.api_key })).status).toBe(401);
  const response = await call('PUT', path);
  const { api_key } = (await response.json()) as { api_key: string };
  expect(api_key).not.toBe(bucket.api_key);
  for (const token of [read, jwt])
    expect((await fetch(`${file.url}?jwt=${token}`)).status).toBe(403);
  expect((await send(bucket, 'image', form({}))).status).toBe(401);
  expect(
    (await call('GET', `/files/${bucket.id}`, undefined, { authorization: `Bearer ${write}` }))
      .status,
  ).toBe(401);
  const page = await listFiles(server, { id: bucket.id, api_key });
  expect((await fetch(`${file.url}?jwt=${page.jwt}`)).status).toBe(200);
});

test('a list that an old key asked for has a token that the new key has revoked', async () => {
  const { buckets, files, tokens } = server.services;
  const { id } = await createBucket(server, user.token);
  const asked = await buckets.ownedBy(user.userId, id);
  await buckets.regenerateKey(user.userId, id);
  const { jwt } = await files.list({ bucket: asked, principal: ownerPrincipal(user.userId) }, {});
  expect(await tokens.grant(jwt, 'read', asked)).not.toBeNull();
  expect(await tokens.grant(jwt, 'read', await buckets.ownedBy(user.userId, id))).toBeNull();
});

/** Opens a socket as a page of a user does, and collects its events. */
async function listen({ userId, client }: TestUser) {
  const events: FileEvent[] = [];
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws?user_id=${userId}`, {
    headers: { cookie: client.cookies(), origin: server.url },
  } as never);
  socket.onmessage = ({ data }) => events.push(JSON.parse(String(data)));
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  return { events, socket };
}

test('the owner’s pages are told of an upload before it is processed, and nobody else’s', async () => {
  const bucket = await createBucket(server, user.token);
  const stranger = await signUp(server);
  const [own, others] = [await listen(user), await listen(stranger)];
  const { id } = await image(bucket);
  const theirs = await createBucket(server, stranger.token);
  const other = await image(theirs);
  for (const { events } of [own, others]) {
    await until(async () => events.some(({ type }) => type === 'file.success'));
  }
  const named = ({ events }: typeof own) => [...new Set(events.map(({ file_id }) => file_id))];
  expect([named(own), named(others)]).toEqual([[id], [other.id]]);
  expect(own.events[0]).toEqual({
    type: 'file.created',
    file_id: id,
    bucket_id: bucket.id,
    status: 'processing',
    progress: 0,
  });
  own.socket.close();
  others.socket.close();
});

test('what a change of a bucket leaves out stays, also while another one is made', async () => {
  const bucket = await createBucket(server, user.token, 'Before');
  const path = `/buckets/name/webhook/${bucket.id}`;
  const webhook = 'https://hooks.example/a';
  const changes = await Promise.all([
    call('PUT', path, { name: 'After' }),
    call('PUT', path, { webhook }),
  ]);
  expect(changes.map(({ status }) => status)).toEqual([200, 200]);
  const read = async () =>
    (await (await call('GET', `/buckets/${bucket.id}`)).json()) as BucketWire;
  expect(await read()).toMatchObject({ name: 'After', webhook });
  expect((await call('PUT', path, {})).status).toBe(422);
  expect(await read()).toMatchObject({ name: 'After', webhook });
});

test('a deleted file is gone from delivery, list, usage and disk, and its owner’s page is told', async () => {
  const bucket = await createBucket(server, user.token);
  const file = await image(bucket);
  expect((await fetch(file.url ?? '')).status).toBe(200);
  const { events, socket } = await listen(user);
  const stranger = await signUp(server);
  const path = `/files/${bucket.id}/${file.id}`;
  const other = await createBucket(server, user.token, 'Other');
  expect((await call('DELETE', path, undefined, stranger.authorization)).status).toBe(404);
  expect((await call('DELETE', `/files/${other.id}/${file.id}`)).status).toBe(404);
  expect((await fetch(file.url ?? '')).status).toBe(200);
  expect((await call('DELETE', path, undefined, { 'x-api-key': bucket.api_key })).status).toBe(204);
  expect((await fetch(file.url ?? '')).status).toBe(404);
  expect((await call('DELETE', path)).status).toBe(404);
  expect((await listFiles(server, bucket)).data).toEqual([]);
  const detail = (await (await call('GET', `/buckets/${bucket.id}`)).json()) as BucketWire;
  expect([detail.usage, detail.total_uploads]).toEqual([0, 0]);
  await until(async () => events.length > 0);
  socket.close();
  expect(events).toEqual([
    expect.objectContaining({ type: 'file.deleted', file_id: file.id, bucket_id: bucket.id }),
  ]);
  await server.services.housekeeping.round();
  expect(await objectsOf(file.id)).toBe(0);
});

test('deleting a file that is being encoded stops ffmpeg at once and leaves nothing', async () => {
  const bucket = await createBucket(server, user.token);
  const bytes = await longClip();
  const response = await send(
    bucket,
    'video',
    video({ client_id: 'pending_deletes', resolution: LONG_CLIP_SIZES }, bytes),
  );
  const { id } = (await response.json()) as FileWire;
  const encoders = () => processesIn(join(server.dataDir, 'work'), 'libx264');
  await until(async () => encoders().length > 0);
  expect((await call('DELETE', `/files/${bucket.id}/${id}`)).status).toBe(204);
  await until(async () => encoders().length === 0);
  await server.services.housekeeping.round();
  expect(await objectsOf(id)).toBe(0);
  const states = await server.db
    .selectFrom('jobs')
    .select('state')
    .where('subject', '=', id)
    .execute();
  expect(states).toEqual([{ state: 'cancelled' }]);
});

test('an upload tells which chunks have arrived, and can be stopped', async () => {
  const bucket = await createBucket(server, user.token);
  const headers = { 'x-api-key': bucket.api_key };
  const path = `/files/upload/video/${bucket.id}/half`;
  expect((await call('GET', path, undefined, headers)).status).toBe(404);
  const body = video(
    { client_id: 'half', chunk_number: '2', total_chunks: '3' },
    Buffer.from('the end'),
  );
  expect((await send(bucket, 'video', body)).status).toBe(202);
  const response = await call('GET', path, undefined, headers);
  expect(await response.json()).toMatchObject({ received: [2], total: 3, file_id: null });
  expect((await call('GET', path)).status).toBe(404);
  expect((await call('DELETE', path)).status).toBe(404);
  const { id } = await server.db
    .selectFrom('upload_sessions')
    .select('id')
    .where('bucket_id', '=', bucket.id)
    .executeTakeFirstOrThrow();
  expect((await call('DELETE', path, undefined, headers)).status).toBe(204);
  expect((await call('DELETE', path, undefined, headers)).status).toBe(404);
  await server.services.housekeeping.round();
  expect(await objectsOf(`u/${id}`)).toBe(0);
});

test('a code to delete a bucket is mailed only for one of the user’s own', async () => {
  const request = async (from: typeof user, fields: Record<string, string>) => {
    const body = form({ subject: 'delete-bucket', ...fields });
    const init = { method: 'POST', headers: from.authorization, body };
    return (await from.client.fetch('/users/email', init)).status;
  };
  const bucket = await createBucket(server, user.token);
  expect(await request(user, {})).toBe(400);
  expect(await request(user, { bucket_id: '' })).toBe(400);
  expect(await request(user, { bucket_id: 'nonsense' })).toBe(404);
  expect(await request(await signUp(server), { bucket_id: bucket.id })).toBe(404);
  expect(await request(user, { bucket_id: bucket.id })).toBe(204);
});

test('a bucket is deleted with the mailed code, with all that is in it', async () => {
  const bucket = await createBucket(server, user.token);
  const other = await createBucket(server, user.token);
  const file = await image(bucket);
  const empty = await call('POST', `/buckets/is/empty/${bucket.id}`);
  expect(await empty.json()).toMatchObject({ empty: false, files: 1 });
  const email_token = await requestCode(server, user, 'delete-bucket', { bucket_id: bucket.id });
  const remove = (id: string, token: number) =>
    user.client.fetch(`/buckets/${id}`, {
      method: 'DELETE',
      headers: { ...user.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ email_token: token }),
    });
  expect((await remove(bucket.id, email_token === 999_999 ? 999_998 : 999_999)).status).toBe(422);
  expect((await fetch(file.url ?? '')).status).toBe(200);
  expect((await remove('01jwnnsvg0rcan9jrmmh2f51q7', email_token)).status).toBe(404);
  expect((await remove(other.id, email_token)).status).toBe(422);
  expect((await call('GET', `/buckets/${other.id}`)).status).toBe(200);
  expect((await remove(bucket.id, email_token)).status).toBe(204);
  expect([401, 409]).toContain((await send(bucket, 'image', form({}))).status);
  await until(async () => (await call('GET', `/buckets/${bucket.id}`)).status === 404);
  expect((await fetch(file.url ?? '')).status).toBe(404);
  await server.services.housekeeping.round();
  expect(await objectsOf(bucket.id)).toBe(0);
  expect((await remove(other.id, email_token)).status).toBe(422);
});

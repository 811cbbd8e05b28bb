import { afterAll, describe, expect, test } from 'bun:test';
import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { CreatedS3KeyWire, S3KeyWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { startServerInProcess } from '../../support/server/in-process-server.ts';

const server = await startServerInProcess({ S3_PORT: '0' });
afterAll(() => server.stop());
const endpoint = server.services.config.s3?.url ?? '';
const user = await signUp(server);
const bucket = await createBucket(server, user.token);
const stranger = await signUp(server);

const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const owner = user.authorization;
const post = (form: object, headers = owner) =>
  call('POST', '/s3-keys', headers, { name: 'CI', access: 'both', ...form });
const create = async (form: object = {}) => (await (await post(form)).json()) as CreatedS3KeyWire;
const list = async (headers = owner) =>
  ((await (await call('GET', '/s3-keys', headers)).json()) as { data: S3KeyWire[] }).data;

const clientOf = ({ access_key_id, secret_access_key }: CreatedS3KeyWire) =>
  new S3Client({
    endpoint,
    region: 'auto',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  });
const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error) => error.name,
  );

describe('an S3 key', () => {
  test('works with the SDK of AWS until it is deleted', async () => {
    const created = await create();
    const s3 = clientOf(created);
    const object = { Bucket: bucket.id, Key: 'a b+ü.txt' };
    await s3.send(new PutObjectCommand({ ...object, Body: 'hello' }));
    const { Body } = await s3.send(new GetObjectCommand(object));
    expect(await Body?.transformToString()).toBe('hello');
    expect((await call('DELETE', `/s3-keys/${created.id}`, owner)).status).toBe(204);
    expect(await codeOf(s3.send(new GetObjectCommand(object)))).toBe('InvalidAccessKeyId');
    expect((await call('DELETE', `/s3-keys/${created.id}`, owner)).status).toBe(404);
  });

  test('does what its access says in its buckets, and nothing in others', async () => {
    const other = await createBucket(server, user.token);
    const foreign = await createBucket(server, stranger.token);
    const put = (key: CreatedS3KeyWire, Bucket: string) =>
      codeOf(clientOf(key).send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' })));
    const get = (key: CreatedS3KeyWire, Bucket: string) =>
      codeOf(clientOf(key).send(new GetObjectCommand({ Bucket, Key: 'k' })));
    const [both, reader, writer, limited] = [
      await create(),
      await create({ access: 'read' }),
      await create({ access: 'write' }),
      await create({ buckets: [other.id] }),
    ];
    expect(await put(both, bucket.id)).toBeNull();
    expect([await put(reader, bucket.id), await get(reader, bucket.id)]).toEqual([
      'AccessDenied',
      null,
    ]);
    expect([await put(writer, bucket.id), await get(writer, bucket.id)]).toEqual([
      null,
      'AccessDenied',
    ]);
    expect(await put(limited, other.id)).toBeNull();
    for (const [key, id] of [
      [limited, bucket.id],
      [both, foreign.id],
    ] as const) {
      expect(await put(key, id)).toBeOneOf(['AccessDenied', 'NoSuchBucket']);
      expect(await get(key, id)).toBeOneOf(['AccessDenied', 'NoSuchBucket']);
    }
    expect((await list()).find(({ id }) => id === limited.id)?.buckets).toEqual([other.id]);
  });

  test('is refused with another secret', async () => {
    const key = { ...(await create()), secret_access_key: 'x'.repeat(40) };
    expect(await codeOf(clientOf(key).send(new ListBucketsCommand({})))).toBe(
      'SignatureDoesNotMatch',
    );
  });

  test('is created, seen and deleted by its account alone', async () => {
    const { id } = await create();
    const [theirs, key] = [stranger.authorization, { 'x-api-key': bucket.api_key } as never];
    expect(await list(theirs)).toEqual([]);
    expect((await call('DELETE', `/s3-keys/${id}`, theirs)).status).toBe(404);
    expect((await post({ buckets: [bucket.id] }, theirs)).status).toBe(404);
    for (const headers of [key, {} as never]) {
      expect((await post({}, headers)).status).toBe(401);
      expect((await call('GET', '/s3-keys', headers)).status).toBe(401);
      expect((await call('DELETE', `/s3-keys/${id}`, headers)).status).toBe(401);
    }
    expect((await list()).map((one) => one.id)).toContain(id);
  });

  test('is refused with a bad name, access, bucket or expiry', async () => {
    const forms = [{ name: '' }, { name: ' ' }, { name: 'a\nb' }, { access: 'all' }];
    for (const form of [...forms, { buckets: [] }, { buckets: 'all' }, { expires_at: 'soon' }]) {
      expect((await post(form)).status).toBe(422);
    }
  });
});

describe('the page S3', () => {
  const page = async (path: string) =>
    user.client.fetch(path, { headers: { accept: 'text/html' } });

  test('lists the keys with the endpoint, without a secret, and is in the navigation', async () => {
    const { name, access_key_id, secret_access_key } = await create({ name: 'Backup' });
    const response = await page('/dashboard/s3');
    const html = await response.text();
    expect(response.status).toBe(200);
    for (const shown of [name, access_key_id, endpoint, 'AWS CLI']) expect(html).toContain(shown);
    expect(html).not.toContain(secret_access_key);
    expect(await (await page('/dashboard')).text()).toContain('href="/dashboard/s3"');
  });

  test('is not there where the S3 API is off, and no key can be created', async () => {
    const off = await startServerInProcess();
    try {
      const { client, authorization } = await signUp(off);
      const html = { headers: { accept: 'text/html' } };
      expect((await client.fetch('/dashboard/s3', html)).status).toBe(404);
      const dashboard = await (await client.fetch('/dashboard', html)).text();
      expect(dashboard).toContain('href="/billing"');
      expect(dashboard).not.toContain('href="/dashboard/s3"');
      const created = await fetch(`${off.url}/s3-keys`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ access: 'both' }),
      });
      expect(created.status).toBe(409);
    } finally {
      await off.stop();
    }
  });
});

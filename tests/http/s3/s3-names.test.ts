import { expect, test } from 'bun:test';
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const other = await createBucket(server, user.token);
const stranger = await signUp(server);

const rename = (id: string, s3_name: unknown, headers = user.authorization) =>
  fetch(`${server.url}/buckets/s3/${id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ s3_name }),
  });
const read = async (Bucket: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }))).Body?.transformToString();
const names = async () =>
  (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name);

test('a bucket gets the name that S3 clients use, another one later, and none again', async () => {
  await s3.send(new PutObjectCommand({ Bucket: bucket.id, Key: 'k', Body: 'bytes' }));
  const response = await rename(bucket.id, 'holiday-photos');
  expect(response.status).toBe(200);
  expect(((await response.json()) as BucketWire).s3_name).toBe('holiday-photos');
  expect(await read('holiday-photos')).toBe('bytes');
  expect(await read(bucket.id)).toBe('bytes');
  expect(await names()).toContain('holiday-photos');

  await rename(bucket.id, 'photos.2026');
  expect(await read('photos.2026')).toBe('bytes');
  expect(await refusalOf(read('holiday-photos'))).toEqual(['NoSuchBucket', 404]);

  expect((await rename(bucket.id, null)).status).toBe(200);
  expect(await refusalOf(read('photos.2026'))).toEqual(['NoSuchBucket', 404]);
  expect(await names()).toContain(bucket.id);
});

test('a name is refused that no client could use, or that another bucket of the account has', async () => {
  for (const name of [
    '',
    'ab',
    'Photos',
    'a_b',
    'a..b',
    '192.168.0.1',
    bucket.id,
    'x'.repeat(64),
  ]) {
    expect([name, (await rename(bucket.id, name)).status]).toEqual([name, 422]);
  }
  for (const name of [3, ['photos'], undefined]) {
    expect((await rename(bucket.id, name)).status).toBe(422);
  }
  await rename(other.id, 'taken');
  const refused = await rename(bucket.id, 'taken');
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('Another bucket of the account has this S3 name');
  // The bucket's own name is no other's.
  expect((await rename(other.id, 'taken')).status).toBe(200);
});

test('of two buckets that get one name at the same time, one gets it', async () => {
  const responses = await Promise.all([rename(bucket.id, 'race'), rename(other.id, 'race')]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('another account has the same name for its own bucket, and changes no name of ours', async () => {
  const theirs = await createBucket(server, stranger.token);
  await rename(bucket.id, 'shared-name');
  expect((await rename(theirs.id, 'shared-name', stranger.authorization)).status).toBe(200);
  expect((await rename(bucket.id, 'stolen', stranger.authorization)).status).toBe(404);
  expect(await names()).toContain('shared-name');
});

test('an S3 key says the names of its buckets, also after one was deleted', async () => {
  const [first, second] = [
    await createBucket(server, user.token),
    await createBucket(server, user.token),
  ];
  const key = await createS3Key(user, { buckets: [first.id, second.id] });
  const list = async () => {
    const response = await user.client.fetch('/s3-keys', { headers: user.authorization });
    const { data } = (await response.json()) as { data: (typeof key)[] };
    return data.find(({ id }) => id === key.id)?.bucket_names;
  };
  expect(key.bucket_names).toEqual([first.name, second.name]);
  expect(await list()).toEqual([first.name, second.name]);
  await server.db.deleteFrom('api_keys').where('bucket_id', '=', second.id).execute();
  await server.db.deleteFrom('buckets').where('id', '=', second.id).execute();
  expect(await list()).toEqual([first.name, null]);
});

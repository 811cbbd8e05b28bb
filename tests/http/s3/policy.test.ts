import { expect, test } from 'bun:test';
import {
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
const s3 = s3Client(server, await createS3Key(user));
const friend = await signUp(server);
const friends = s3Client(server, await createS3Key(friend));
const strangers = s3Client(server, await createS3Key(await signUp(server)));
const anonymous = new S3Client({
  ...{ endpoint: server.config.s3?.url ?? '', region: 'us-east-1', forcePathStyle: true },
  ...{ maxAttempts: 1, signer: { sign: async (request) => request } },
  credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
});

let count = 0;
async function openBucket() {
  count += 1;
  const Bucket = `policy-${count}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  for (const Key of ['open/a', 'closed/a']) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  }
  const statement = (Action: string | string[], resource: string, more: object = {}) => ({
    ...{ Effect: 'Allow', Principal: '*', Action },
    ...{ Resource: `arn:aws:s3:::${Bucket}${resource}`, ...more },
  });
  const documentOf = (...Statement: object[]) =>
    JSON.stringify({ Version: '2012-10-17', Statement });
  return {
    ...{ Bucket, statement, documentOf },
    put: (Policy: string, client: S3Client = s3) =>
      client.send(new PutBucketPolicyCommand({ Bucket, Policy })),
    read: (client: S3Client, Key: string) =>
      client.send(new GetObjectCommand({ Bucket, Key })).then(
        ({ Body }) => Body?.transformToString(),
        (error) => error.name,
      ),
    list: (client: S3Client, Prefix?: string) =>
      client.send(new ListObjectsV2Command({ Bucket, Prefix })).then(
        ({ Contents }) => Contents?.map(({ Key }) => Key).join(),
        (error) => error.name,
      ),
    isPublic: async () =>
      (await s3.send(new GetBucketPolicyStatusCommand({ Bucket }))).PolicyStatus?.IsPublic,
  };
}

test('a policy lets everybody read and list what it names, and nothing else', async () => {
  const { Bucket, put, read, list, statement, documentOf, isPublic } = await openBucket();
  expect(await read(anonymous, 'open/a')).toBe('NoSuchBucket');
  const prefix = { Condition: { StringLike: { 's3:prefix': ['open/*'] } } };
  const document = documentOf(
    statement('s3:GetObject', '/open/*'),
    statement(['s3:ListBucket'], '', prefix),
  );
  await put(document);
  for (const client of [anonymous, strangers]) {
    expect(await read(client, 'open/a')).toBe('open/a');
    expect(await read(client, 'closed/a')).toBe('AccessDenied');
    expect(await read(client, 'open/missing')).toBe('NoSuchKey');
    expect(await read(client, 'closed/missing')).toBe('AccessDenied');
    expect(await list(client, 'open/')).toBe('open/a');
    expect(await list(client)).toBe('AccessDenied');
    const write = new PutObjectCommand({ Bucket, Key: 'open/a', Body: 'x' });
    expect(await refusalOf(client.send(write))).toEqual(['AccessDenied', 403]);
  }
  expect(await isPublic()).toBe(true);
  expect((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy).toBe(document);
  await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
  expect(await read(anonymous, 'open/a')).toBe('NoSuchBucket');
  expect(await isPublic()).toBe(false);
  const gone = s3.send(new GetBucketPolicyCommand({ Bucket }));
  expect(await refusalOf(gone)).toEqual(['NoSuchBucketPolicy', 404]);
});

test('a policy lets some accounts read, and others not know of the bucket', async () => {
  const { put, read, list, statement, documentOf, isPublic } = await openBucket();
  const Principal = { AWS: [`arn:aws:iam::${friend.userId}:root`] };
  await put(
    documentOf(
      statement('s3:GetObject', '/*', { Principal }),
      statement('s3:ListBucket', '', { Principal }),
    ),
  );
  expect(await read(friends, 'closed/a')).toBe('closed/a');
  expect(await list(friends)).toBe('closed/a,open/a');
  for (const client of [anonymous, strangers]) {
    expect(await read(client, 'open/a')).toBe('NoSuchBucket');
  }
  expect(await list(strangers)).toBe('NoSuchBucket');
  expect(await isPublic()).toBe(false);
});

test('a key that may only write, or is limited to some buckets, has no share in what its account may read', async () => {
  const { put, read, list, statement, documentOf } = await openBucket();
  const Principal = { AWS: [`arn:aws:iam::${friend.userId}:root`] };
  await put(
    documentOf(
      statement('s3:GetObject', '/*', { Principal }),
      statement('s3:ListBucket', '', { Principal }),
    ),
  );
  const { id } = await createBucket(server, friend.token);
  for (const form of [{ access: 'write' as const }, { buckets: [id] }]) {
    const limited = s3Client(server, await createS3Key(friend, form));
    expect([await read(limited, 'closed/a'), await list(limited)]).toEqual([
      ...['NoSuchBucket', 'NoSuchBucket'],
    ]);
  }
  expect(await read(friends, 'closed/a')).toBe('closed/a');
});

test('public policies are blocked and restricted as the bucket says', async () => {
  const { Bucket, put, read, statement, documentOf } = await openBucket();
  const block = (flags: object) =>
    s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: flags }));
  const document = documentOf(statement('s3:GetObject', '/*'));
  await block({ BlockPublicPolicy: true });
  expect(await refusalOf(put(document))).toEqual(['AccessDenied', 403]);
  const Principal = { AWS: friend.userId };
  await put(documentOf(statement('s3:GetObject', '/*', { Principal })));
  expect(await read(friends, 'open/a')).toBe('open/a');
  await block({ IgnorePublicAcls: true });
  await put(document);
  expect(await read(anonymous, 'open/a')).toBe('open/a');
  const wire = async () => {
    const { data } = await server.services.buckets.list(user.userId, {
      ...{ limit: 50, name: Bucket, cursor: undefined },
    } as never);
    return data.find(({ s3_name }) => s3_name === Bucket)?.block_public_access;
  };
  // What the policy opens is not blocked, so the dashboard does not say so.
  expect(await wire()).toBe(false);
  await block({ IgnorePublicAcls: true, RestrictPublicBuckets: true });
  expect(await read(anonymous, 'open/a')).toBe('AccessDenied');
  expect(await wire()).toBe(true);
});

test('only a key of all buckets sets a policy, and one that is not understood changes nothing', async () => {
  const { Bucket, put, read, statement, documentOf } = await openBucket();
  const document = documentOf(statement('s3:GetObject', '/*'));
  for (const access of ['read', 'write'] as const) {
    const client = s3Client(server, await createS3Key(user, { access }));
    expect(await refusalOf(put(document, client))).toEqual(['AccessDenied', 403]);
  }
  expect(await refusalOf(put(document, strangers))).toEqual(['NoSuchBucket', 404]);
  const writing = documentOf(statement('s3:PutObject', '/*'));
  expect(await refusalOf(put(writing))).toEqual(['NotImplemented', 501]);
  expect(await refusalOf(put('{'))).toEqual(['MalformedPolicy', 400]);
  const foreign = document.replaceAll(Bucket, 'other');
  expect(await refusalOf(put(foreign))).toEqual(['MalformedPolicy', 400]);
  expect(await read(anonymous, 'open/a')).toBe('NoSuchBucket');
});

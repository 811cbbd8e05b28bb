import { expect, test } from 'bun:test';
import {
  type BucketCannedACL,
  CreateBucketCommand,
  DeleteBucketOwnershipControlsCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyStatusCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  type ObjectOwnership,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { BucketDetailWire, FilePageWire } from '../../../server/contract/wire.ts';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
const url = server.config.s3?.url ?? '';
const s3 = s3Client(server, await createS3Key(user));
const stranger = await signUp(server);
const theirs = s3Client(server, await createS3Key(stranger));
const anonymous = new S3Client({
  ...{ endpoint: url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
  // Signs nothing.
  signer: { sign: async (request) => request },
  credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
});
const NONE = ['NoSuchBucket', 404] as [string, number];
const DENIED = ['AccessDenied', 403] as [string, number];

let count = 0;
/** Creates a bucket with a public and a private object. */
async function openBucket(ACL?: BucketCannedACL) {
  count += 1;
  const Bucket = `public-${count}`;
  await s3.send(new CreateBucketCommand({ Bucket, ACL }));
  for (const [Key, acl] of [
    ['open', 'public-read'],
    ['closed', 'private'],
  ] as const) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key, ACL: acl }));
  }
  const row = await server.db
    .selectFrom('buckets')
    .select('id')
    .where('s3_name', '=', Bucket)
    .where('user_id', '=', user.userId)
    .executeTakeFirstOrThrow();
  const statusOf = async (Key: string, client: S3Client = anonymous) =>
    client.send(new GetObjectCommand({ Bucket, Key })).then(
      ({ $metadata }) => $metadata.httpStatusCode,
      (error) => error.name,
    );
  const list = async (client: S3Client = anonymous) =>
    (await client.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key);
  return { Bucket, id: row.id, statusOf, list };
}

/** Returns what the CDN answers for a file of a bucket. */
async function delivered(path: string): Promise<[number, string | null]> {
  const response = await fetch(`${server.url}/cdn/${path}`, { redirect: 'manual' });
  return [response.status, response.headers.get('cache-control')];
}

async function setS3(id: string, body: object): Promise<Response> {
  return user.client.fetch(`/buckets/s3/${id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('a public object is read by the name of its bucket without a key, and with one of another account', async () => {
  const { statusOf, Bucket } = await openBucket();
  for (const client of [anonymous, theirs]) {
    expect(await statusOf('open', client)).toBe(200);
    // A private object looks like one of a bucket that doesn't exist, so nobody learns which names others use.
    expect(await statusOf('closed', client)).toBe('NoSuchBucket');
    expect(await statusOf('missing', client)).toBe('NoSuchBucket');
    const nowhere = new GetObjectCommand({ Bucket: 'no-such-name', Key: 'a' });
    expect(await refusalOf(client.send(nowhere))).toEqual(NONE);
  }
  const write = new PutObjectCommand({ Bucket, Key: 'open', Body: 'x' });
  expect(await refusalOf(anonymous.send(write))).toEqual(DENIED);
  expect(await refusalOf(theirs.send(write))).toEqual(NONE);
  const publish = new PutObjectAclCommand({ Bucket, Key: 'closed', ACL: 'public-read' });
  expect(await refusalOf(theirs.send(publish))).toEqual(NONE);
});

test('of buckets with one name, the first is meant without a key of its account, and nobody takes its place', async () => {
  const { Bucket, statusOf } = await openBucket();
  await theirs.send(new CreateBucketCommand({ Bucket: 'older' }));
  const { id } = await server.db
    .selectFrom('buckets')
    .select('id')
    .where('s3_name', '=', 'older')
    .executeTakeFirstOrThrow();
  const renamed = await stranger.client.fetch(`/buckets/s3/${id}`, {
    method: 'PUT',
    headers: { ...stranger.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ s3_name: Bucket }),
  });
  expect(renamed.status).toBe(200);
  const put = { Bucket, Key: 'open', Body: 'of another account', ACL: 'public-read' } as const;
  await theirs.send(new PutObjectCommand(put));
  expect(await statusOf('open')).toBe(200);
  const read = async (client: S3Client) =>
    (await client.send(new GetObjectCommand({ Bucket, Key: 'open' }))).Body?.transformToString();
  expect(await read(anonymous)).toBe('open');
  expect(await read(s3)).toBe('open');
  expect(await read(theirs)).toBe('of another account');
});

test('everybody lists a bucket that is public-read, and opens what is public in it', async () => {
  const { Bucket, id, statusOf, list } = await openBucket('public-read');
  for (const client of [anonymous, theirs]) {
    expect(await list(client)).toEqual(['closed', 'open']);
    await client.send(new HeadBucketCommand({ Bucket }));
    // Whose bucket it is isn't told.
    const { Contents } = await client.send(new ListObjectsCommand({ Bucket }));
    expect(Contents?.some(({ Owner }) => Owner)).toBe(false);
    expect(await statusOf('open', client)).toBe(200);
    expect(await statusOf('closed', client)).toBe('AccessDenied');
    expect(await statusOf('missing', client)).toBe('NoSuchKey');
    const write = new PutObjectCommand({ Bucket, Key: 'new', Body: 'x' });
    expect(await refusalOf(client.send(write))).toEqual(DENIED);
    expect(await refusalOf(client.send(new GetBucketAclCommand({ Bucket })))).toEqual(DENIED);
  }
  const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
  expect(Grants?.map(({ Permission }) => Permission)).toEqual(['READ', 'FULL_CONTROL']);
  const status = await s3.send(new GetBucketPolicyStatusCommand({ Bucket }));
  expect(status.PolicyStatus?.IsPublic).toBe(true);
  await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
  expect(await refusalOf(list())).toEqual(DENIED);
  expect(await refusalOf(list(theirs))).toEqual(NONE);
  expect((await setS3(id, { list_public: true })).status).toBe(200);
  expect(await list()).toEqual(['closed', 'open']);
});

test('a bucket is created again where it is as public as the request says, and is not changed', async () => {
  const { Bucket } = await openBucket('public-read');
  const create = (more = {}) => s3.send(new CreateBucketCommand({ Bucket, ...more }));
  const other = ['BucketAlreadyOwnedByYou', 409] as [string, number];
  for (const same of [{}, { ACL: 'public-read' }]) await create(same);
  for (const more of [
    { ACL: 'private' },
    { ACL: 'public-read', ObjectOwnership: 'BucketOwnerPreferred' },
  ]) {
    expect(await refusalOf(create(more))).toEqual(other);
  }
  const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
  expect(Grants?.map(({ Permission }) => Permission)).toEqual(['READ', 'FULL_CONTROL']);
  await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
  expect(await refusalOf(create({ ACL: 'public-read' }))).toEqual(other);
  await create({ ACL: 'private' });
});

test('a bucket is created with an ACL that it can have, or not at all', async () => {
  for (const [more, code, status] of [
    [{ ACL: 'public-read-write' }, 'InvalidArgument', 400],
    [{ GrantRead: 'id="x"' }, 'NotImplemented', 501],
    [{ ObjectLockEnabledForBucket: true }, 'NotImplemented', 501],
    [{ ObjectOwnership: 'Somebody' }, 'MalformedXML', 400],
    [
      { ACL: 'public-read', ObjectOwnership: 'BucketOwnerEnforced' },
      ...(['InvalidBucketAclWithObjectOwnership', 400] as const),
    ],
  ] as [object, string, number][]) {
    const create = new CreateBucketCommand({ Bucket: 'never-created', ...more });
    expect(await refusalOf(s3.send(create))).toEqual([code, status]);
  }
  const head = new HeadBucketCommand({ Bucket: 'never-created' });
  expect((await refusalOf(s3.send(head)))[1]).toBe(404);
});

test('a block of public access is read back, and refuses public ACLs', async () => {
  const { Bucket, statusOf } = await openBucket();
  const flags = {
    ...{ BlockPublicAcls: true, IgnorePublicAcls: false },
    ...{ BlockPublicPolicy: true, RestrictPublicBuckets: false },
  };
  const put = new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: flags });
  expect(await refusalOf(theirs.send(put))).toEqual(NONE);
  await s3.send(put);
  const read = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
  expect(read.PublicAccessBlockConfiguration).toEqual(flags);
  for (const ACL of ['public-read', 'public-read-write', 'authenticated-read'] as const) {
    const object = { Bucket, Key: 'new', Body: 'x', ACL };
    expect(await refusalOf(s3.send(new PutObjectCommand(object)))).toEqual(DENIED);
  }
  const acl = { ACL: 'public-read', Bucket } as const;
  expect(await refusalOf(s3.send(new PutBucketAclCommand(acl)))).toEqual(DENIED);
  const closed = new PutObjectAclCommand({ ...acl, Key: 'closed' });
  expect(await refusalOf(s3.send(closed))).toEqual(DENIED);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x', ACL: 'private' }));
  // What is public stays so, as it isn't ignored.
  expect(await statusOf('open')).toBe(200);
  await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
  const gone = s3.send(new GetPublicAccessBlockCommand({ Bucket }));
  expect(await refusalOf(gone)).toEqual(['NoSuchPublicAccessBlockConfiguration', 404]);
  await s3.send(closed);
  expect(await statusOf('closed')).toBe(200);
});

test('public access that is ignored is private at every address, until it is not ignored any more', async () => {
  const { Bucket, id, statusOf, list } = await openBucket('public-read');
  const listed = await user.client.fetch(`/files/${id}`, { headers: user.authorization });
  const { data } = (await listed.json()) as FilePageWire;
  const byId = data.find(({ path }) => path === 'open')?.url?.split('/cdn/')[1] ?? '';
  const isBlocked = async () =>
    (await server.services.buckets.get(user.userId, id)).block_public_access;
  const answers = () => Promise.all([`${id}/~/open`, byId].map(delivered));
  const before = await answers();
  expect(before.map(([status]) => status)).toEqual([200, 200]);
  expect(await isBlocked()).toBe(false);
  await s3.send(
    new PutPublicAccessBlockCommand({
      Bucket,
      PublicAccessBlockConfiguration: { IgnorePublicAcls: true },
    }),
  );
  // That there is the bucket is known already.
  expect(await statusOf('open')).toBe('AccessDenied');
  expect(await statusOf('open', theirs)).toBe('AccessDenied');
  expect(await refusalOf(list(theirs))).toEqual(DENIED);
  expect(await refusalOf(list())).toEqual(DENIED);
  expect(await statusOf('open', s3)).toBe(200);
  // By its path a private file looks like none.
  expect((await answers()).map(([status]) => status)).toEqual([404, 401]);
  expect(await isBlocked()).toBe(true);
  expect((await setS3(id, { block_public_access: false })).status).toBe(200);
  expect(await answers()).toEqual(before);
  expect(await statusOf('open')).toBe(200);
  expect(await list()).toEqual(['closed', 'open']);
  const wire = (await (await setS3(id, { block_public_access: true })).json()) as BucketDetailWire;
  expect(wire.block_public_access).toBe(true);
  const block = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
  expect(Object.values(block.PublicAccessBlockConfiguration ?? {})).toEqual([
    ...Array<boolean>(4).fill(true),
  ]);
});

test('an owner that is enforced ends all ACLs', async () => {
  const { Bucket, id, statusOf } = await openBucket();
  const set = (ObjectOwnership: ObjectOwnership) =>
    s3.send(
      new PutBucketOwnershipControlsCommand({
        ...{ Bucket, OwnershipControls: { Rules: [{ ObjectOwnership }] } },
      }),
    );
  await set('BucketOwnerPreferred');
  expect(await statusOf('open')).toBe(200);
  await set('BucketOwnerEnforced');
  const read = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
  expect(read.OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
  expect(await statusOf('open')).toBe('NoSuchBucket');
  const { Grants } = await s3.send(new GetObjectAclCommand({ Bucket, Key: 'open' }));
  expect(Grants).toHaveLength(1);
  const NO_ACLS = ['AccessControlListNotSupported', 400] as [string, number];
  for (const ACL of ['private', 'public-read'] as const) {
    const object = { Bucket, Key: 'new', Body: 'x', ACL };
    expect(await refusalOf(s3.send(new PutObjectCommand(object)))).toEqual(NO_ACLS);
    const acl = new PutObjectAclCommand({ Bucket, Key: 'open', ACL });
    expect(await refusalOf(s3.send(acl))).toEqual(NO_ACLS);
  }
  const ACL = 'bucket-owner-full-control';
  await s3.send(new PutObjectCommand({ Bucket, Key: 'new', Body: 'x', ACL }));
  expect((await setS3(id, { list_public: true })).status).toBe(422);
  await s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket }));
  expect(await statusOf('open')).toBe(200);
  await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
  const refused = ['InvalidBucketAclWithObjectOwnership', 400] as [string, number];
  expect(await refusalOf(set('BucketOwnerEnforced'))).toEqual(refused);
});

import { expect, test } from 'bun:test';
import {
  type BucketCannedACL,
  GetBucketAclCommand,
  GetObjectAclCommand,
  type Grant,
  PutBucketAclCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user, bucket } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;
await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }));

const OWNER: Grant = {
  Grantee: { Type: 'CanonicalUser', ID: user.userId },
  Permission: 'FULL_CONTROL',
};
const EVERYBODY: Grant = {
  Grantee: { Type: 'Group', URI: 'http://acs.amazonaws.com/groups/global/AllUsers' },
  Permission: 'READ',
};
const setGrants = (Grants: Grant[], ownerId = user.userId) =>
  s3.send(
    new PutObjectAclCommand({
      ...{ Bucket, Key: 'a' },
      AccessControlPolicy: { Owner: { ID: ownerId }, Grants },
    }),
  );
const isPublic = async () => (await fetch(`${server.config.s3?.url}/${Bucket}/a`)).status === 200;

test('a document with the grants of private or public-read is obeyed', async () => {
  await setGrants([OWNER, EVERYBODY]);
  expect(await isPublic()).toBe(true);
  const { Grants = [], Owner } = await s3.send(new GetObjectAclCommand({ Bucket, Key: 'a' }));
  await setGrants([OWNER]);
  expect(await isPublic()).toBe(false);
  await s3.send(
    new PutObjectAclCommand({ Bucket, Key: 'a', AccessControlPolicy: { Owner, Grants } }),
  );
  expect(await isPublic()).toBe(true);
  await setGrants([OWNER]);
});

test('other grants are refused, and change nothing', async () => {
  const stranger: Grant = { Grantee: { Type: 'CanonicalUser', ID: 'x' }, Permission: 'READ' };
  for (const grants of [
    [],
    [EVERYBODY],
    [OWNER, stranger],
    [OWNER, EVERYBODY, stranger],
    [OWNER, { ...EVERYBODY, Permission: 'WRITE' }],
    [{ ...OWNER, Permission: 'READ' }],
    [OWNER, { Grantee: { Type: 'Group', URI: 'x' }, Permission: 'READ' }],
  ] as Grant[][]) {
    expect(await refusalOf(setGrants(grants))).toEqual(['NotImplemented', 501]);
  }
  expect(await refusalOf(setGrants([OWNER, EVERYBODY], 'x'))).toEqual(['AccessDenied', 403]);
  const named = new PutObjectAclCommand({ Bucket, Key: 'a', GrantRead: 'id="x"' });
  expect(await refusalOf(s3.send(named))).toEqual(['NotImplemented', 501]);
  expect(await isPublic()).toBe(false);
});

test('a document that is not understood changes nothing', async () => {
  const send = signedFetch(server, key);
  for (const [body, code] of [
    ['', 'MissingRequestBodyError'],
    ['<AccessControlPolicy/>', 'MalformedXML'],
    ['<Other><AccessControlList/></Other>', 'MalformedXML'],
    [
      '<AccessControlPolicy><AccessControlList><Grant/></AccessControlList></AccessControlPolicy>',
      'MalformedXML',
    ],
  ] as const) {
    const response = await send('PUT', `/${Bucket}/a?acl`, { body });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(`<Code>${code}</Code>`),
    ]);
  }
  expect(await isPublic()).toBe(false);
});

test('the ACL of a bucket can only be private or public-read, and only a key of all buckets sets it', async () => {
  const set = (ACL: BucketCannedACL, client = s3) =>
    client.send(new PutBucketAclCommand({ Bucket, ACL }));
  for (const acl of ['public-read-write', 'authenticated-read'] as const) {
    expect(await refusalOf(set(acl))).toEqual(['InvalidArgument', 400]);
  }
  for (const access of ['read', 'write'] as const) {
    const client = s3Client(server, await createS3Key(user, { access }));
    expect(await refusalOf(set('public-read', client))).toEqual(['AccessDenied', 403]);
  }
  const stranger = s3Client(server, await createS3Key(await signUp(server)));
  expect(await refusalOf(set('public-read', stranger))).toEqual(['NoSuchBucket', 404]);
  const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }));
  expect(Grants).toHaveLength(1);
});

test('the ACLs by which the owner of a bucket has all rights are private', async () => {
  for (const ACL of ['bucket-owner-full-control', 'bucket-owner-read'] as const) {
    await s3.send(new PutObjectAclCommand({ Bucket, Key: 'a', ACL: 'public-read' }));
    expect(await isPublic()).toBe(true);
    await s3.send(new PutObjectAclCommand({ Bucket, Key: 'a', ACL }));
    expect(await isPublic()).toBe(false);
  }
});

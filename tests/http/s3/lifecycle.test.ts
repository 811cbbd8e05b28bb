import { expect, test } from 'bun:test';
import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  HeadObjectCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ExpiryRule } from '../../../server/contract/files/expiry-rules.ts';
import { DAY, SECOND } from '../../../server/contract/limits.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const { buckets } = server.services;
const NONE = ['NoSuchLifecycleConfiguration', 404] as [string, number];

async function openBucket(expiry_rules: ExpiryRule[] = []) {
  const { id: Bucket } = await createBucket(server, user.token);
  if (expiry_rules.length > 0)
    await buckets.settings.setRetention(user.userId, Bucket, { expiry_rules });
  const command = (Rules: LifecycleRule[]) =>
    new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } });
  return {
    Bucket,
    put: (rules: LifecycleRule[], client: S3Client = s3) => client.send(command(rules)),
    get: async (client: S3Client = s3) =>
      (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules,
    remove: (client: S3Client = s3) => client.send(new DeleteBucketLifecycleCommand({ Bucket })),
    rules: async () => (await buckets.get(user.userId, Bucket)).expiry_rules,
  };
}

const expiring = (
  Prefix: string,
  Days: number,
  more: Partial<LifecycleRule> = {},
): LifecycleRule => ({
  Status: 'Enabled',
  Filter: { Prefix },
  Expiration: { Days },
  ...more,
});
const aborting = (DaysAfterInitiation: number): LifecycleRule => ({
  Status: 'Enabled',
  Filter: { Prefix: '' },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation },
});

test('the rules of the dashboard are those of the configuration, and the other way round', async () => {
  const { get, put, rules, remove } = await openBucket([{ prefix: 'logs/', days: 30 }]);
  expect(await get()).toEqual([{ ID: 'expiry-1', ...expiring('logs/', 30) }]);
  await put([expiring('tmp/', 1, { ID: 'mine' }), expiring('', 3650)]);
  expect(await rules()).toEqual([
    { prefix: 'tmp/', days: 1, id: 'mine' },
    { prefix: '', days: 3650 },
  ]);
  expect((await get())?.map(({ ID }) => ID)).toEqual(['mine', 'expiry-2']);
  const again = (await get()) ?? [];
  await put(again);
  expect(await get()).toEqual(again);
  await remove();
  expect(await refusalOf(get())).toEqual(NONE);
  expect(await rules()).toEqual([]);
  await remove();
});

test('a rule may abort uploads and expire delete markers as the server does, and is shown as it was sent', async () => {
  const { get, put, rules } = await openBucket([{ prefix: 'logs/', days: 30 }]);
  await put([expiring('a/', 2, { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } })]);
  expect(await rules()).toEqual([{ prefix: 'a/', days: 2 }]);
  expect(await refusalOf(put([aborting(6)]))).toEqual(['NotImplemented', 501]);
  expect(await rules()).toEqual([{ prefix: 'a/', days: 2 }]);
  const markers = expiring('b/', 1, { Expiration: { ExpiredObjectDeleteMarker: true } });
  await put([aborting(30), markers]);
  expect(await rules()).toEqual([]);
  expect(await get()).toEqual([
    { ID: 'rule-1', ...aborting(30) },
    { ID: 'rule-2', ...markers },
  ]);
});

test('a document is read back as it was sent, until the dashboard changes its rules', async () => {
  const { Bucket, get, put, rules, remove } = await openBucket();
  const flat: LifecycleRule = {
    ...{ ID: 'flat', Status: 'Enabled', Prefix: 'old/', Expiration: { Days: 3 } },
  };
  const disabled = expiring('off/', 5, { ID: 'off', Status: 'Disabled' });
  const both = expiring('a/', 2, {
    ...{ ID: 'both', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
  });
  await put([flat, disabled, both]);
  expect(await get()).toEqual([flat, disabled, both]);
  // A rule that is disabled deletes nothing.
  const kept = [
    { prefix: 'old/', days: 3, id: 'flat' },
    { prefix: 'a/', days: 2, id: 'both' },
  ];
  expect(await rules()).toEqual(kept);
  await buckets.settings.setRetention(user.userId, Bucket, { expiry_rules: kept.slice(1) });
  expect(await get()).toEqual([expiring('a/', 2, { ID: 'both' })]);
  await remove();
  expect(await refusalOf(get())).toEqual(NONE);
  await put([disabled]);
  expect(await get()).toEqual([disabled]);
  await remove();
  expect(await refusalOf(get())).toEqual(NONE);
});

test('a lifecycle that is longer than a bucket keeps is refused', async () => {
  const { put, rules, get } = await openBucket();
  const long = Array.from({ length: 400 }, (_, n) =>
    expiring(`${n}${'x'.repeat(150)}/`, 1, { Status: 'Disabled' }),
  );
  expect(await refusalOf(put(long))).toEqual(['InvalidRequest', 400]);
  expect(await rules()).toEqual([]);
  expect(await refusalOf(get())).toEqual(NONE);
});

test('two rules can not have the same id', async () => {
  const { put, rules } = await openBucket();
  const same = [expiring('a/', 1, { ID: 'same' }), expiring('b/', 1, { ID: 'same' })];
  expect(await refusalOf(put(same))).toEqual(['InvalidArgument', 400]);
  expect(await rules()).toEqual([]);
});

test('an object says when it expires, and by which rule', async () => {
  const { Bucket, put } = await openBucket();
  await put([expiring('logs/', 9), expiring('logs/a', 2, { ID: 'short "1"' })]);
  const before = Date.now();
  const created = await s3.send(new PutObjectCommand({ Bucket, Key: 'logs/abc', Body: 'a' }));
  const read = await s3.send(new HeadObjectCommand({ Bucket, Key: 'logs/abc' }));
  expect(read.Expiration).toBe(created.Expiration ?? 'none');
  const [, date = '', id] =
    /^expiry-date="(.*)", rule-id="(.*)"$/.exec(read.Expiration ?? '') ?? [];
  expect(id).toBe('short%20%221%22');
  expect(Date.parse(date)).toBeGreaterThanOrEqual(before + 2 * DAY);
  expect(Date.parse(date)).toBeLessThanOrEqual(Date.now() + 2 * DAY + SECOND);
  const other = await s3.send(new PutObjectCommand({ Bucket, Key: 'other', Body: 'a' }));
  expect(other.Expiration).toBeUndefined();
});

test('what the rules can not express is refused with a reason, and changes nothing', async () => {
  const { put, rules } = await openBucket([{ prefix: 'logs/', days: 30 }]);
  const good = expiring('good/', 5);
  const { Expiration, ...without } = good;
  for (const [wrong, code, status] of [
    [{ ...good, Status: 'Off' }, 'MalformedXML', 400],
    [{ ...good, Expiration: { Date: new Date(0) } }, 'NotImplemented', 501],
    [{ ...good, Expiration: { Date: new Date(1000) } }, 'InvalidArgument', 400],
    [
      { ...good, Expiration: { Days: 1, ExpiredObjectDeleteMarker: true } },
      ...(['MalformedXML', 400] as const),
    ],
    [{ ...good, Expiration: { ExpiredObjectDeleteMarker: false } }, 'MalformedXML', 400],
    [{ ...good, Filter: { Tag: { Key: 'a', Value: 'b' } } }, 'NotImplemented', 501],
    [{ ...good, Filter: { ObjectSizeGreaterThan: 5 } }, 'NotImplemented', 501],
    [{ ...good, Filter: { And: { Prefix: 'a', ObjectSizeLessThan: 9 } } }, 'NotImplemented', 501],
    [{ ...good, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }, 'NotImplemented', 501],
    [{ ...good, NoncurrentVersionExpiration: { NoncurrentDays: 3 } }, 'NotImplemented', 501],
    [without, 'MalformedXML', 400],
    [expiring('x/', 0), 'InvalidArgument', 400],
    [expiring('x/', -1), 'InvalidArgument', 400],
    [expiring('x/', 3651), 'InvalidArgument', 400],
    [expiring('x/', 1.5), 'MalformedXML', 400],
    [expiring('/x', 1), 'InvalidRequest', 400],
    [expiring('x'.repeat(256), 1), 'InvalidRequest', 400],
    [expiring('good/', 6), 'InvalidRequest', 400],
    [expiring('x/', 1, { ID: 'x'.repeat(256) }), 'InvalidArgument', 400],
  ] as const) {
    expect(await refusalOf(put([good, wrong as LifecycleRule]))).toEqual([code, status]);
  }
  const many = (count: number) => Array.from({ length: count }, (_, n) => expiring(`${n}/`, 1));
  expect(await refusalOf(put(many(101)))).toEqual(['InvalidRequest', 400]);
  expect(await refusalOf(put(many(1001)))).toEqual(['MalformedXML', 400]);
  expect(await rules()).toEqual([{ prefix: 'logs/', days: 30 }]);
  await put(many(100));
  expect(await rules()).toHaveLength(100);
});

test('a document that is not understood changes nothing', async () => {
  const { Bucket, rules } = await openBucket([{ prefix: 'logs/', days: 30 }]);
  const send = signedFetch(server, key);
  const document = (...parts: string[]) =>
    `<LifecycleConfiguration><Rule>${parts.join('')}</Rule></LifecycleConfiguration>`;
  const status = '<Status>Enabled</Status>';
  const days = '<Expiration><Days>1</Days></Expiration>';
  for (const body of [
    '',
    '<LifecycleConfiguration/>',
    `<Other><Rule>${status}${days}<Prefix/></Rule></Other>`,
    document(status, days),
    document(days, '<Prefix/>'),
    document(status, days, '<Prefix/><Filter/>'),
    document(status, days, days, '<Prefix/>'),
    document(status, status, days, '<Prefix/>'),
    document(status, days, '<Prefix><Prefix>a</Prefix></Prefix>'),
    document(status, days, '<Filter><Suffix>a</Suffix></Filter>'),
    document(status, '<Expiration/>', '<Prefix/>'),
    document(status, '<Expiration><Days>1</Days><Hours>1</Hours></Expiration>', '<Prefix/>'),
    document(status, days, '<Prefix/>', '<Other/>'),
    document(status, '<Expiration><Date>20200101</Date></Expiration>', '<Prefix/>'),
    document(status, days, '<Prefix/><Transition><Date>soon</Date></Transition>'),
  ]) {
    const response = await send('PUT', `/${Bucket}?lifecycle`, { body });
    expect([body, response.status, await response.text()]).toEqual([
      ...[body, 400],
      expect.stringContaining('<Code>MalformedXML</Code>'),
    ] as never);
  }
  const body = document(status, days, '<Prefix>old/</Prefix>');
  const headers = { 'x-amz-checksum-crc32': 'AAAAAA==' };
  const corrupt = await send('PUT', `/${Bucket}?lifecycle`, { body, headers });
  expect(await corrupt.text()).toContain('<Code>BadDigest</Code>');
  expect(await rules()).toEqual([{ prefix: 'logs/', days: 30 }]);
  // Clients of earlier days send the prefix without a filter.
  expect((await send('PUT', `/${Bucket}?lifecycle`, { body })).status).toBe(200);
  expect(await rules()).toEqual([{ prefix: 'old/', days: 1 }]);
});

test('only a key that opens all of the account changes the rules', async () => {
  const { Bucket, put, get, remove, rules } = await openBucket([{ prefix: 'logs/', days: 30 }]);
  const clientOf = async (...form: Parameters<typeof createS3Key>) =>
    s3Client(server, await createS3Key(...form));
  const stranger = await clientOf(await signUp(server));
  for (const [client, code, status] of [
    [await clientOf(user, { access: 'read' }), 'AccessDenied', 403],
    [await clientOf(user, { access: 'write' }), 'AccessDenied', 403],
    [await clientOf(user, { buckets: [Bucket] }), 'AccessDenied', 403],
    [stranger, 'NoSuchBucket', 404],
  ] as const) {
    expect(await refusalOf(put([expiring('', 1)], client))).toEqual([code, status]);
    expect(await refusalOf(remove(client))).toEqual([code, status]);
  }
  expect(await refusalOf(get(stranger))).toEqual(['NoSuchBucket', 404]);
  expect(await rules()).toEqual([{ prefix: 'logs/', days: 30 }]);
});

test('a change of the rules is in the audit log with the key', async () => {
  const { Bucket, put, remove } = await openBucket();
  await remove();
  await put([expiring('a/', 1)]);
  const entries = await server.db
    .selectFrom('audit_log')
    .select('actor_id')
    .where('subject_id', '=', Bucket)
    .where('action', '=', 'bucket.retention-changed')
    .execute();
  expect(entries).toEqual([{ actor_id: key.id }]);
});

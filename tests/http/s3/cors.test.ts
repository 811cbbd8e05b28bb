import { expect, test } from 'bun:test';
import {
  type CORSRule,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user } = await sharedBucketInProcess({ S3_PORT: '0' });
const url = server.config.s3?.url ?? '';
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const { buckets } = server.services;

const READ = ['GET', 'HEAD'];
const NONE = ['NoSuchCORSConfiguration', 404] as [string, number];
const ruleOf = (...AllowedOrigins: string[]): CORSRule => ({
  AllowedOrigins,
  AllowedMethods: READ,
});

async function openBucket(origins: string[] = []) {
  const { id: Bucket } = await createBucket(server, user.token);
  if (origins.length > 0) {
    const rules = { cors_origins: origins, path_max_age: 5 };
    await buckets.setDeliveryRules(user.userId, Bucket, rules);
  }
  const put = (CORSRules: CORSRule[], client: S3Client = s3) =>
    client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  return {
    Bucket,
    put,
    get: async (client: S3Client = s3) =>
      (await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules,
    remove: (client: S3Client = s3) => client.send(new DeleteBucketCorsCommand({ Bucket })),
    rules: async () => {
      const { cors_origins, path_max_age } = await buckets.get(user.userId, Bucket);
      return { cors_origins, path_max_age };
    },
  };
}

test('the origins of the dashboard are those of the configuration, and the other way round', async () => {
  const { get, put, rules, remove } = await openBucket(['https://one.example']);
  const expected = (...AllowedOrigins: string[]) => [
    { AllowedHeaders: ['*'], AllowedMethods: READ, AllowedOrigins },
  ];
  expect(await get()).toEqual(expected('https://one.example'));
  await put([
    ruleOf('https://two.example', 'https://Three.example/'),
    ruleOf('http://localhost:3000'),
  ]);
  expect(await get()).toEqual(
    expected('https://two.example', 'https://three.example', 'http://localhost:3000'),
  );
  // The other rules of the bucket stay.
  expect((await rules()).path_max_age).toBe(5);
  const again = (await get()) ?? [];
  await put(again);
  expect(await get()).toEqual(again);
  await remove();
  expect(await refusalOf(get())).toEqual(NONE);
  expect(await rules()).toMatchObject({ cors_origins: [], path_max_age: 5 });
  await remove();
});

test('every origin is allowed without a configuration, and by one for all', async () => {
  const { get, put, rules } = await openBucket();
  expect(await refusalOf(get())).toEqual(NONE);
  await put([ruleOf('https://one.example')]);
  await put([ruleOf('*', 'https://one.example')]);
  expect(await refusalOf(get())).toEqual(NONE);
  expect((await rules()).cors_origins).toEqual([]);
});

test('scripts of other origins can not read what a script of an allowed one can', async () => {
  const { Bucket, put } = await openBucket();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', ACL: 'public-read' }));
  await put([ruleOf('https://one.example')]);
  const allowed = async (origin: string) =>
    (await fetch(`${url}/${Bucket}/a`, { headers: { origin } })).headers.get(
      'access-control-allow-origin',
    );
  expect(await allowed('https://one.example')).toBe('https://one.example');
  expect(await allowed('https://two.example')).toBe('https://one.example');
});

test('what a bucket can not do is refused with a reason, and changes nothing', async () => {
  const { put, rules } = await openBucket(['https://stays.example']);
  const before = await rules();
  const rule = ruleOf('https://new.example');
  for (const [wrong, code, status] of [
    [{ ...rule, AllowedMethods: ['GET', 'PUT'] }, 'NotImplemented', 501],
    [{ ...rule, AllowedMethods: ['HEAD'] }, 'NotImplemented', 501],
    [{ ...rule, AllowedMethods: ['GET', 'PATCH'] }, 'InvalidRequest', 400],
    [{ ...rule, AllowedHeaders: ['x-one'] }, 'NotImplemented', 501],
    [{ ...rule, ExposeHeaders: ['etag'] }, 'NotImplemented', 501],
    [{ ...rule, MaxAgeSeconds: 60 }, 'NotImplemented', 501],
    [ruleOf('https://*.example'), 'InvalidRequest', 400],
    [ruleOf('https://new.example/path'), 'InvalidRequest', 400],
    [ruleOf(), 'MalformedXML', 400],
  ] as const) {
    // The first rule alone would be accepted.
    expect(await refusalOf(put([rule, wrong as CORSRule]))).toEqual([code, status]);
  }
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ruleOf(`https://a${n}.example`));
  expect(await refusalOf(put(many(51)))).toEqual(['InvalidRequest', 400]);
  expect(await refusalOf(put(many(101)))).toEqual(['MalformedXML', 400]);
  expect(await rules()).toEqual(before);
  await put(many(50));
  expect((await rules()).cors_origins).toHaveLength(50);
});

test('a document that is not understood changes nothing', async () => {
  const { Bucket, rules } = await openBucket(['https://stays.example']);
  const before = await rules();
  const send = signedFetch(server, key);
  const methodAndOrigin =
    '<AllowedMethod>GET</AllowedMethod><AllowedOrigin>https://new.example</AllowedOrigin>';
  for (const body of [
    '',
    'x',
    '<CORSConfiguration/>',
    '<CORSConfiguration><CORSRule/></CORSConfiguration>',
    `<CORSConfiguration><CORSRule>${methodAndOrigin}</CORSRule>`,
    `<CORSConfiguration><CORSRule>${methodAndOrigin}<Other/></CORSRule></CORSConfiguration>`,
    `<CORSConfiguration><CORSRule>${methodAndOrigin}text</CORSRule></CORSConfiguration>`,
    `<CORSConfiguration><CORSRule>${methodAndOrigin}</CORSRule><Other/></CORSConfiguration>`,
    `<CORSRules><CORSRule>${methodAndOrigin}</CORSRule></CORSRules>`,
    `<!DOCTYPE a><CORSConfiguration><CORSRule>${methodAndOrigin}</CORSRule></CORSConfiguration>`,
  ]) {
    const response = await send('PUT', `/${Bucket}?cors`, { body });
    expect([body, response.status, await response.text()]).toEqual([
      ...[body, 400],
      expect.stringContaining('<Code>MalformedXML</Code>'),
    ] as never);
  }
  const body = `<CORSConfiguration><CORSRule>${methodAndOrigin}</CORSRule></CORSConfiguration>`;
  const headers = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const corrupt = await send('PUT', `/${Bucket}?cors`, { body, headers });
  expect(await corrupt.text()).toContain('<Code>BadDigest</Code>');
  expect(await rules()).toEqual(before);
  expect((await send('PUT', `/${Bucket}?cors`, { body })).status).toBe(200);
});

test('only a key that opens all of the account changes the origins', async () => {
  const { Bucket, put, get, remove, rules } = await openBucket(['https://stays.example']);
  const before = await rules();
  const clientOf = async (...form: Parameters<typeof createS3Key>) =>
    s3Client(server, await createS3Key(...form));
  for (const [client, code, status] of [
    [await clientOf(user, { access: 'read' }), 'AccessDenied', 403],
    [await clientOf(user, { access: 'write' }), 'AccessDenied', 403],
    [await clientOf(user, { buckets: [Bucket] }), 'AccessDenied', 403],
    [await clientOf(await signUp(server)), 'NoSuchBucket', 404],
  ] as const) {
    expect(await refusalOf(put([ruleOf('*')], client))).toEqual([code, status]);
    expect(await refusalOf(remove(client))).toEqual([code, status]);
  }
  expect(await rules()).toEqual(before);
  const stranger = await clientOf(await signUp(server));
  expect(await refusalOf(get(stranger))).toEqual(['NoSuchBucket', 404]);
});

test('a change of the origins is in the audit log with the key', async () => {
  const { Bucket, put, remove } = await openBucket();
  await remove();
  await put([ruleOf('https://one.example')]);
  const entries = await server.db
    .selectFrom('audit_log')
    .select('actor_id')
    .where('subject_id', '=', Bucket)
    .where('action', '=', 'bucket.delivery-rules-changed')
    .execute();
  expect(entries).toEqual([{ actor_id: key.id }]);
});

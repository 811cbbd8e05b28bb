import { expect, test } from 'bun:test';
import {
  type CORSRule,
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketAclCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createBucket, signUp } from '../../support/client/api.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { signedFetch } from '../../support/client/signed-fetch.ts';
import { groupBucketInProcess } from '../../support/server/group-server.ts';

const { server, user } = await groupBucketInProcess({ S3_PORT: '0' });
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
    await buckets.settings.setDeliveryRules(user.userId, Bucket, rules);
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

test('the rules are read back as they were sent, and the origins of the dashboard without any', async () => {
  const { get, put, rules, remove } = await openBucket(['https://one.example']);
  expect(await get()).toEqual([
    { AllowedHeaders: ['*'], AllowedMethods: READ, AllowedOrigins: ['https://one.example'] },
  ]);
  const sent: CORSRule[] = [
    {
      ...{ ID: 'uploads', AllowedOrigins: ['https://*.two.example', 'http://localhost:3000'] },
      ...{ AllowedMethods: ['PUT', 'POST'], AllowedHeaders: ['x-amz-*', 'content-type'] },
      ...{ ExposeHeaders: ['ETag', 'x-amz-version-id'], MaxAgeSeconds: 60 },
    },
    { AllowedOrigins: ['*'], AllowedMethods: ['GET'] },
  ];
  await put(sent);
  expect(await get()).toEqual(sent);
  // They are about the address of the S3 API. The CDN keeps its own.
  expect(await rules()).toEqual({ cors_origins: ['https://one.example'], path_max_age: 5 });
  await put([ruleOf('https://three.example')]);
  expect(await get()).toEqual([ruleOf('https://three.example')]);
  await remove();
  expect(await refusalOf(get())).toEqual(NONE);
  expect(await rules()).toMatchObject({ cors_origins: [], path_max_age: 5 });
  await remove();
});

/** Returns what a script of an origin is told. */
async function answerTo(path: string, origin: string, more: RequestInit = {}) {
  const init = { ...more, headers: { origin, ...(more.headers as Record<string, string>) } };
  const { status, headers } = await fetch(`${url}/${path}`, init);
  const read = (name: string) => headers.get(`access-control-${name}`);
  return {
    status,
    ...{ origin: read('allow-origin'), methods: read('allow-methods') },
    ...{ headers: read('allow-headers'), exposed: read('expose-headers') },
    ...{ maxAge: read('max-age'), credentials: read('allow-credentials') },
    vary: headers.get('vary'),
  };
}
const preflightOf = (method: string, headers?: string) => ({
  method: 'OPTIONS',
  headers: {
    'access-control-request-method': method,
    ...(headers !== undefined && { 'access-control-request-headers': headers }),
  },
});

test('the first rule for an origin, a method and the headers of a script is what it is told', async () => {
  const { Bucket, put } = await openBucket();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', ACL: 'public-read' }));
  await put([
    {
      ...{ AllowedOrigins: ['https://*.two.example'], AllowedMethods: ['PUT', 'POST'] },
      ...{ AllowedHeaders: ['X-Amz-*'], ExposeHeaders: ['ETag'], MaxAgeSeconds: 60 },
    },
    { AllowedOrigins: ['*'], AllowedMethods: ['GET'] },
  ]);
  const path = `${Bucket}/a`;
  const upload = await answerTo(path, 'https://a.two.example', preflightOf('PUT', 'x-amz-acl'));
  expect(upload).toMatchObject({
    ...{ status: 200, origin: 'https://a.two.example', methods: 'PUT, POST' },
    ...{ headers: 'x-amz-acl', exposed: 'ETag', maxAge: '60', credentials: 'true' },
  });
  const read = await answerTo(path, 'https://other.example');
  expect(read).toMatchObject({ status: 200, origin: '*', methods: 'GET', credentials: null });
  expect(read.vary).toContain('Origin');
  for (const [origin, preflight] of [
    ['https://other.example', preflightOf('PUT')],
    ['https://a.two.example', preflightOf('PUT', 'x-amz-acl, content-type')],
    ['https://a.two.example', preflightOf('DELETE')],
    ['https://two.example', preflightOf('PUT')],
    ['https://a.two.example.evil', preflightOf('PUT')],
  ] as const) {
    const answer = await answerTo(path, origin, preflight);
    expect(answer).toMatchObject({ status: 403, origin: null, methods: null });
  }
  // What is refused for another reason is readable by the script too.
  const refused = await answerTo(path, 'https://a.two.example', { method: 'PUT', body: 'b' });
  expect(refused).toMatchObject({ status: 403, origin: 'https://a.two.example' });
  expect((await answerTo(path, 'https://other.example', { method: 'DELETE' })).origin).toBeNull();
});

test('without rules every origin may send what is signed, and read as the dashboard says', async () => {
  const { Bucket } = await openBucket(['https://one.example']);
  const other = await openBucket();
  for (const bucketId of [Bucket, other.Bucket]) {
    const put = { Bucket: bucketId, Key: 'a', Body: 'a', ACL: 'public-read' } as const;
    await s3.send(new PutObjectCommand(put));
    const preflight = preflightOf('PUT', 'x-one');
    expect(await answerTo(`${bucketId}/a`, 'https://two.example', preflight)).toMatchObject({
      ...{ status: 200, origin: '*', headers: 'x-one', methods: 'GET, HEAD, PUT, POST, DELETE' },
    });
  }
  const read = async (path: string, origin: string) => (await answerTo(path, origin)).origin;
  expect(await read(`${Bucket}/a`, 'https://one.example')).toBe('https://one.example');
  expect(await read(`${Bucket}/a`, 'https://two.example')).toBe('https://one.example');
  expect(await read(`${other.Bucket}/a`, 'https://two.example')).toBe('*');
  expect((await fetch(`${url}/${other.Bucket}/a`)).headers.get('vary')).toBe('Origin');
});

/** Creates a bucket with a name and a rule for an origin. */
async function openNamed(client: S3Client, Bucket: string, origin: string) {
  await client.send(new CreateBucketCommand({ Bucket }));
  const CORSConfiguration = { CORSRules: [{ ...ruleOf(origin), AllowedMethods: ['GET', 'PUT'] }] };
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }));
}

test('a preflight of a presigned URL is for the bucket of its key, and any other for the first public one of a name', async () => {
  const theirs = s3Client(server, await createS3Key(await signUp(server)));
  const Bucket = 'cors-of-two-accounts';
  await openNamed(s3, Bucket, 'https://first.example');
  await openNamed(theirs, Bucket, 'https://second.example');
  await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
  const ask = async (path: string, origin: string, method = 'PUT') =>
    (await answerTo(path, origin, preflightOf(method))).status;
  const signed = await getSignedUrl(theirs, new PutObjectCommand({ Bucket, Key: 'a' }));
  const path = signed.slice(url.length + 1);
  expect(await ask(path, 'https://second.example')).toBe(200);
  expect(await ask(path, 'https://first.example')).toBe(403);
  // It is signed for another method, so that nobody is known.
  expect(await ask(path, 'https://second.example', 'GET')).toBe(403);
  expect(await ask(`${Bucket}/a`, 'https://first.example')).toBe(200);
  expect(await ask(`${Bucket}/a`, 'https://second.example')).toBe(403);
  const put = await answerTo(path, 'https://second.example', { method: 'PUT', body: 'a' });
  expect(put).toMatchObject({ status: 200, origin: 'https://second.example' });
});

test('a public object that is read by the name of its bucket has the rules of that', async () => {
  const Bucket = 'cors-of-an-object';
  await openNamed(s3, Bucket, 'https://first.example');
  await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', ACL: 'public-read' }));
  const read = async (origin: string) => answerTo(`${Bucket}/a`, origin);
  expect(await read('https://first.example')).toMatchObject({
    ...{ status: 200, origin: 'https://first.example' },
  });
  expect(await read('https://other.example')).toMatchObject({ status: 200, origin: null });
});

test('nobody learns by CORS which names another account uses', async () => {
  const mine = 'cors-private-name';
  const nobodys = 'cors-nobodys-name';
  await openNamed(s3, mine, 'https://first.example');
  const stranger = await createS3Key(await signUp(server));
  const byStranger = signedFetch(server, stranger);
  // Whoever was given a presigned URL has the key's ID, and none of its secret.
  const forged = signedFetch(server, { ...key, secret_access_key: stranger.secret_access_key });
  const query = await getSignedUrl(s3, new PutObjectCommand({ Bucket: 'other', Key: 'a' }));
  const signed = query.slice(query.indexOf('?'));
  const init = { headers: { origin: 'https://evil.example' } };
  const plain = (method: string, path: string, headers = {}) =>
    fetch(url + path, { method, headers: { ...init.headers, ...headers } });
  const ways: ((name: string) => Promise<Response>)[] = [
    ...['GET', 'PUT', 'DELETE'].map(
      (method) => (name: string) =>
        plain('OPTIONS', `/${name}/a${signed}`, { 'access-control-request-method': method }),
    ),
    (name) => plain('OPTIONS', `/${name}/a`, { 'access-control-request-method': 'PUT' }),
    (name) => plain('OPTIONS', `/${name}`, { 'access-control-request-method': 'GET' }),
    (name) => plain('GET', `/${name}/a`),
    (name) => plain('PUT', `/${name}/a`),
    (name) => plain('GET', `/${name}/a${signed}`),
    (name) => forged('GET', `/${name}/a`, init),
    (name) => forged('PUT', `/${name}/a`, init),
    (name) => byStranger('GET', `/${name}/a`, init),
    (name) => byStranger('PUT', `/${name}/a`, init),
    (name) => byStranger('GET', `/${name}?cors`, init),
  ];
  const answerOf = async (way: (typeof ways)[number], name: string) => {
    const response = await way(name);
    const { status, headers } = response;
    // The rest of the body repeats the request.
    const reason = /<Code>.*?<\/Message>/.exec(await response.text())?.[0];
    const told = [...headers].filter(([header]) => !['date', 'x-amz-request-id'].includes(header));
    return { status, told, reason };
  };
  for (const way of ways) expect(await answerOf(way, mine)).toEqual(await answerOf(way, nobodys));
});

test('rules that are not valid are refused with a reason, and change nothing', async () => {
  const { put, get } = await openBucket();
  const rule = ruleOf('https://new.example');
  await put([rule]);
  for (const [wrong, code] of [
    [{ ...rule, AllowedMethods: ['GET', 'PATCH'] }, 'InvalidRequest'],
    [{ ...rule, AllowedHeaders: ['x-*-*'] }, 'InvalidRequest'],
    [{ ...rule, ExposeHeaders: ['*'] }, 'InvalidRequest'],
    [{ ...rule, ExposeHeaders: ['a\nb'] }, 'InvalidRequest'],
    [{ ...rule, ID: 'x'.repeat(256) }, 'InvalidRequest'],
    [ruleOf('https://*.*.example'), 'InvalidRequest'],
    [ruleOf('https://new.example other'), 'InvalidRequest'],
    [ruleOf(), 'MalformedXML'],
  ] as const) {
    // The first rule alone would be accepted.
    expect(await refusalOf(put([rule, wrong as CORSRule]))).toEqual([code, 400]);
  }
  const many = (count: number, origin = '') =>
    Array.from({ length: count }, (_, n) => ruleOf(`https://a${n}${origin}.example`));
  expect(await refusalOf(put(many(101)))).toEqual(['MalformedXML', 400]);
  expect(await refusalOf(put(many(100, 'x'.repeat(1000))))).toEqual(['InvalidRequest', 400]);
  expect(await get()).toEqual([rule]);
  await put(many(100));
  expect(await get()).toHaveLength(100);
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

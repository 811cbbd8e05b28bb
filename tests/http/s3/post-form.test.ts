import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { MIB } from '../../../server/contract/limits.ts';
import { createBucket, signUp } from '../../support/client/api.ts';
import { presignPost } from '../../support/client/presigned-post.ts';
import { createS3Key, refusalOf, s3Client } from '../../support/client/s3.ts';
import { sharedBucketInProcess } from '../../support/server/in-process-server.ts';

const { server, user, bucket } = await sharedBucketInProcess({
  S3_PORT: '0',
  MAX_FILE_BYTES: String(8 * MIB),
});
const url = server.config.s3?.url ?? '';
const key = await createS3Key(user);
const s3 = s3Client(server, key);
const Bucket = bucket.id;

type Fields = Record<string, string>;
type Signing = {
  conditions?: unknown[];
  expiresAt?: number;
  by?: typeof key;
  bucket?: string;
};

/** Returns the fields of a form with its policy, signed by the key where no other is named. */
const sign = (fields: Fields, { by = key, bucket = Bucket, ...options }: Signing = {}): Fields =>
  presignPost(fields, { key: by, bucket, ...options });

function formOf(fields: Fields, file: Blob | string | null, name = 'photo.txt') {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if (file !== null) form.append('file', new Blob([file]), name);
  return form;
}

const send = (form: FormData, to = `${url}/${Bucket}`, headers = {}) =>
  fetch(to, { method: 'POST', body: form, redirect: 'manual', headers });
const post = (fields: Fields, options: Signing = {}, file: string | Blob = 'bytes') =>
  send(formOf(sign(fields, options), file));
const codeOf = async (response: Response) => [
  response.status,
  /<Code>(.*)<\/Code>/.exec(await response.text())?.[1],
];
const read = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

test('a form of a browser becomes an object with its type, metadata and access', async () => {
  const fields = {
    ...{ key: 'forms/ü 1.txt', acl: 'public-read', 'Content-Type': 'text/x-note' },
    ...{ 'x-amz-meta-who': 'Zoë', 'Cache-Control': 'max-age=5' },
  };
  const response = await post(fields);
  expect([response.status, await response.text()]).toEqual([204, '']);
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'forms/ü 1.txt' }));
  expect(head).toMatchObject({ ContentType: 'text/x-note', CacheControl: 'max-age=5' });
  expect(response.headers.get('etag')).toBe(head.ETag ?? '');
  expect(await read('forms/ü 1.txt')).toBe('bytes');
  expect((await fetch(`${url}/${Bucket}/forms/%C3%BC%201.txt`)).status).toBe(200);
  const row = await server.db
    .selectFrom('files')
    .select('metadata')
    .where('path', '=', 'forms/ü 1.txt')
    .executeTakeFirst();
  expect(JSON.parse(row?.metadata ?? '')).toEqual({ who: 'Zoë' });
});

test('the same is below /s3 of the app, and scripts of other sites may read the answer', async () => {
  const form = formOf(sign({ key: 'app.txt', success_action_status: '201' }), 'by the app');
  const response = await send(form, `${server.url}/s3/${Bucket}`, {
    origin: 'https://one.example',
  });
  expect(response.status).toBe(201);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const xml = await response.text();
  expect(xml).toContain(`<Location>/s3/${Bucket}/app.txt</Location>`);
  expect(xml).toContain('<Key>app.txt</Key>');
  expect(await read('app.txt')).toBe('by the app');
});

test('the name of the file takes the place of the variable filename, without folders', async () => {
  const conditions = [['starts-with', '$key', 'user/']];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the variable of forms
  const fields = sign({ key: 'user/${filename}' }, { conditions });
  expect((await send(formOf(fields, 'a', 'C:\\pictures\\a $& b.txt'))).status).toBe(204);
  expect(await read('user/a $& b.txt')).toBe('a');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the variable of forms
  const outside = sign({ key: '${filename}' }, { conditions });
  expect(await codeOf(await send(formOf(outside, 'a', '../user/x')))).toEqual([
    403,
    'AccessDenied',
  ]);
  expect(await codeOf(await send(formOf(fields, 'a', '..')))).toEqual([400, 'InvalidRequest']);
});

test('a long name does not take the place of thousands of variables', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the variable of forms
  const key = '${filename}'.repeat(3000);
  const form = formOf(sign({ key }), 'a', 'x'.repeat(1000));
  expect(await codeOf(await send(form))).toEqual([400, 'MaxPostPreDataLengthExceeded']);
});

test('a form says where the browser goes on, with the bucket, the key and the ETag', async () => {
  const target = 'https://example.com/done?x=1';
  const response = await post({ key: 'redirected', success_action_redirect: target });
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get('location') ?? '');
  expect(location.origin + location.pathname).toBe('https://example.com/done');
  expect(Object.fromEntries(location.searchParams)).toEqual({
    ...{ x: '1', bucket: Bucket, key: 'redirected', etag: response.headers.get('etag') ?? '' },
  });
  const script = await post({ key: 'redirected', success_action_redirect: 'javascript:alert(1)' });
  expect([script.status, script.headers.get('location')]).toEqual([204, `/${Bucket}/redirected`]);
  expect((await post({ key: 'status', success_action_status: '200' })).status).toBe(200);
  expect((await post({ key: 'status', success_action_status: '404' })).status).toBe(204);
});

test('what the policy does not allow stores nothing', async () => {
  const signed = sign({ key: 'allowed' });
  const { policy: _, ...withoutPolicy } = signed;
  const { 'x-amz-signature': __, ...withoutSignature } = signed;
  const refused: [string, FormData, (string | number)[]][] = [
    ['another key', formOf({ ...signed, key: 'other' }, 'x'), [403, 'AccessDenied']],
    ['one field more', formOf({ ...signed, acl: 'public-read' }, 'x'), [403, 'AccessDenied']],
    ['no policy', formOf(withoutPolicy, 'x'), [403, 'AccessDenied']],
    ['no signature', formOf(withoutSignature, 'x'), [400, 'InvalidArgument']],
    ['no fields', formOf({ key: 'open' }, 'x'), [403, 'AccessDenied']],
    ['no file', formOf(signed, null), [400, 'InvalidArgument']],
    ['no key', formOf(sign({}), 'x'), [400, 'InvalidArgument']],
    [
      'an expired policy',
      formOf(sign({ key: 'late' }, { expiresAt: Date.now() - 1 }), 'x'),
      [403, 'AccessDenied'],
    ],
    [
      'another secret',
      formOf(sign({ key: 'k' }, { by: { ...key, secret_access_key: 'x'.repeat(40) } }), 'x'),
      [403, 'SignatureDoesNotMatch'],
    ],
    [
      'a key that is unknown',
      formOf(sign({ key: 'k' }, { by: { ...key, access_key_id: 'UNKNOWNKEY' } }), 'x'),
      [403, 'InvalidAccessKeyId'],
    ],
    [
      'a policy for another bucket',
      formOf(sign({ key: 'k' }, { bucket: 'other-bucket' }), 'x'),
      [403, 'AccessDenied'],
    ],
    [
      'an unknown ACL',
      formOf(sign({ key: 'k', acl: 'public-read-write' }), 'x'),
      [400, 'InvalidArgument'],
    ],
  ];
  for (const [what, form, answer] of refused) {
    expect([what, ...(await codeOf(await send(form)))]).toEqual([what, ...answer]);
  }
  for (const Key of ['allowed', 'other', 'open', 'late', 'k']) {
    expect(await refusalOf(read(Key))).toEqual(['NoSuchKey', 404]);
  }
  const json = await fetch(`${url}/${Bucket}`, { method: 'POST', body: '{}' });
  expect(await codeOf(json)).toEqual([412, 'PreconditionFailed']);
});

test('a file is as long as the policy says, and the server lets it be', async () => {
  const conditions = [['content-length-range', 3, 10]];
  const sized = (bytes: number) => post({ key: 'sized' }, { conditions }, 'x'.repeat(bytes));
  expect(await codeOf(await sized(2))).toEqual([400, 'EntityTooSmall']);
  expect(await codeOf(await sized(11))).toEqual([400, 'EntityTooLarge']);
  expect(await refusalOf(read('sized'))).toEqual(['NoSuchKey', 404]);
  for (const bytes of [3, 10]) {
    expect((await sized(bytes)).status).toBe(204);
    expect(await read('sized')).toBe('x'.repeat(bytes));
  }
  const tooLarge = await post({ key: 'sized' }, {}, 'x'.repeat(8 * MIB + 1));
  expect(await codeOf(tooLarge)).toEqual([400, 'EntityTooLarge']);
  const large = 'y'.repeat(7 * MIB);
  expect((await post({ key: 'large' }, {}, large)).status).toBe(204);
  expect(await read('large')).toBe(large);
});

test('a checksum in the form is verified and kept', async () => {
  const crc32 = (text: string) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(Bun.hash.crc32(text));
    return bytes.toString('base64');
  };
  const wrong = await post({ key: 'checked', 'x-amz-checksum-crc32': crc32('other') });
  expect(await codeOf(wrong)).toEqual([400, 'BadDigest']);
  expect((await post({ key: 'checked', 'x-amz-checksum-crc32': crc32('bytes') })).status).toBe(204);
  const head = await s3.send(
    new HeadObjectCommand({ Bucket, Key: 'checked', ChecksumMode: 'ENABLED' }),
  );
  expect(head.ChecksumCRC32).toBe(crc32('bytes'));
});

test('a key does in a form what it may do elsewhere', async () => {
  const reader = await createS3Key(user, { access: 'read' });
  expect(await codeOf(await post({ key: 'k' }, { by: reader }))).toEqual([403, 'AccessDenied']);
  const stranger = await signUp(server);
  const theirs = await createS3Key(stranger);
  expect(await codeOf(await post({ key: 'k' }, { by: theirs }))).toEqual([404, 'NoSuchBucket']);
  const other = await createBucket(server, user.token);
  const limited = await createS3Key(user, { buckets: [other.id] });
  expect((await post({ key: 'k' }, { by: limited })).status).toBeOneOf([403, 404]);
  expect(await refusalOf(read('k'))).toEqual(['NoSuchKey', 404]);
});

test('a form that is signed by Version 2 is taken', async () => {
  const policy = Buffer.from(
    JSON.stringify({
      expiration: new Date(Date.now() + 600_000).toISOString(),
      conditions: [{ bucket: Bucket }, ['starts-with', '$key', 'v2/']],
    }),
  ).toString('base64');
  const signature = createHmac('sha1', key.secret_access_key).update(policy).digest('base64');
  const fields = { key: 'v2/a', AWSAccessKeyId: key.access_key_id, policy, signature };
  expect((await send(formOf(fields, 'two'))).status).toBe(204);
  expect(await read('v2/a')).toBe('two');
  const wrong = formOf({ ...fields, signature: signature.replace(/^./, '_') }, 'three');
  expect(await codeOf(await send(wrong))).toEqual([403, 'SignatureDoesNotMatch']);
  expect(await read('v2/a')).toBe('two');
});

/** Sends bytes as the body of a form, and returns the answer, which may come before all is sent. */
function raw(pieces: Iterable<string>, { isEnded = true } = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(`${url}/${Bucket}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  sent.on('response', async (response) => {
    let text = '';
    for await (const piece of response) text += piece;
    sent.destroy();
    resolve(text);
  });
  sent.on('error', reject);
  for (const piece of pieces) sent.write(piece);
  if (isEnded) sent.end();
  return promise;
}

const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test('a form that is cut off, or malformed, stores nothing', async () => {
  const fields = Object.entries(sign({ key: 'cut' })).map(([name, value]) => part(name, value));
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  expect(await raw([...fields, file, 'half of the '])).toContain('MalformedPOSTRequest');
  expect(await raw(['no form at all'])).toContain('MalformedPOSTRequest');
  expect(await refusalOf(read('cut'))).toEqual(['NoSuchKey', 404]);
  const two = [...fields, file, 'one\r\n', file, 'two\r\n--b--\r\n'];
  expect(await raw(two)).toContain('<Error>');
  expect(await refusalOf(read('cut'))).toEqual(['NoSuchKey', 404]);
  expect(await raw([...fields, file, 'whole\r\n', part('submit', 'x'), '--b--\r\n'])).toBe('');
  expect(await read('cut')).toBe('whole');
});

test('a form without a valid policy is not read to its end', async () => {
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const pieces = function* () {
    yield part('key', 'k') + file;
    for (let at = 0; at < 6; at += 1) yield 'x'.repeat(MIB);
  };
  // The form is never ended, so an answer says that nobody waits for its end.
  expect(await raw(pieces(), { isEnded: false })).toContain('AccessDenied');
});

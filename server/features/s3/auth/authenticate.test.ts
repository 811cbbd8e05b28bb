import { describe, expect, test } from 'bun:test';
import { DAY, MINUTE, SECOND } from '../../../contract/limits.ts';
import { S3Error } from '../errors.ts';
import { authenticate } from './authenticate.ts';
import { SigningKeys } from './signing-key.ts';
import { ACCESS_KEY_ID, exampleDeps, NOW, requestTo } from './testing/example-key.ts';
import { signRequest } from './testing/sign-request.ts';
import type { SignedRequest } from './types.ts';

const outcome = async (request: SignedRequest, { now = NOW, hosts = [] as string[] } = {}) =>
  authenticate(exampleDeps(hosts), request, now).then(
    ({ kind }) => kind,
    (error) => {
      expect(error).toBeInstanceOf(S3Error);
      return error as S3Error;
    },
  );
const code = async (...args: Parameters<typeof outcome>): Promise<string> => {
  const result = await outcome(...args);
  return result instanceof S3Error ? result.code : result;
};

const HOST = { host: 's3.example.com' };

test('a request without a signature is anonymous', async () => {
  expect(await code(requestTo('GET', '/bucket/key?versionId=1', HOST))).toBe('anonymous');
});

describe('a signed request', () => {
  test('is refused with another secret or an unknown key', async () => {
    expect(await code(signRequest())).toBe('key');
    expect(await code(signRequest({ secret: 'other' }))).toBe('SignatureDoesNotMatch');
    expect(await code(signRequest({ accessKeyId: 'WHRF' }))).toBe('InvalidAccessKeyId');
  });

  test.each([
    [-15 * MINUTE, 'key'],
    [15 * MINUTE, 'key'],
    [-15 * MINUTE - SECOND, 'RequestTimeTooSkewed'],
    [15 * MINUTE + SECOND, 'RequestTimeTooSkewed'],
  ])('that is %p ms off the clock gives %s', async (offset, expected) => {
    expect(await code(signRequest({ at: NOW + offset }))).toBe(expected);
  });

  test.each(['us-east-1', 'US', 'auto', 'my_region.1', ''])(
    'takes the region %p',
    async (region) => {
      expect(await code(signRequest({ region }))).toBe('key');
    },
  );

  test('names the headers that it doesn’t cover, and is refused', async () => {
    const headers = { 'x-amz-acl': 'public-read', 'x-amz-meta-a': '1' };
    const request = signRequest({ headers, signedAs: { 'x-amz-acl': null } });
    const error = (await outcome(request)) as S3Error;
    expect([error.code, error.details.HeadersNotSigned]).toEqual(['AccessDenied', 'x-amz-acl']);
    expect(await code(signRequest({ signedAs: { host: null } }))).toBe('AccessDenied');
  });

  test.each([
    ['/bucket/a%20b', '/bucket/a%20b'],
    ['/bucket/a+b', '/bucket/a%2Bb'],
    ['/bucket/%7Ea', '/bucket/~a'],
    ["/bucket/it's(1)*!", '/bucket/it%27s%281%29%2A%21'],
    ['/bucket/a//b', '/bucket/a//b'],
    ['/bucket/a%252Fb', '/bucket/a%252Fb'],
    ['/bucket/a%2Fb', '/bucket/a/b'],
    ['/bucket/%c3%bc', '/bucket/%C3%BC'],
    ['/bucket/100%', '/bucket/100%25'],
  ])('to %s is the one that was signed as %s', async (target, signedTarget) => {
    expect(await code(signRequest({ target, signedTarget }))).toBe('key');
    expect(await code(signRequest({ target, signedTarget: `${signedTarget}/` }))).toBe(
      'SignatureDoesNotMatch',
    );
  });

  test('takes what proxies make of accept-encoding, and of no other header', async () => {
    for (const signed of ['identity', 'gzip', 'gzip, br', '']) {
      const headers = { 'accept-encoding': 'br', range: 'bytes=0-1' };
      const signedAs = { 'accept-encoding': signed };
      expect(await code(signRequest({ headers, signedAs }))).toBe('key');
      expect(
        await code(signRequest({ headers, signedAs: { ...signedAs, range: 'bytes=0-2' } })),
      ).toBe('SignatureDoesNotMatch');
    }
    const deflate = {
      headers: { 'accept-encoding': 'br' },
      signedAs: { 'accept-encoding': 'deflate' },
    };
    expect(await code(signRequest(deflate))).toBe('SignatureDoesNotMatch');
  });

  test('takes the configured host where a proxy sends another one, and says what differs', async () => {
    const hosts = ['s3.example.com'];
    const arriving = { headers: { host: '10.0.0.1:3000' } };
    const signed = (host: string) => signRequest({ ...arriving, signedAs: { host } });
    expect(await code(signed('s3.example.com'), { hosts })).toBe('key');
    expect(await code(signed('s3.example.com'))).toBe('SignatureDoesNotMatch');
    const error = (await outcome(signed('other.example.com'), { hosts })) as S3Error;
    expect(error.code).toBe('SignatureDoesNotMatch');
    expect(error.details).toMatchObject({ Host: '10.0.0.1:3000', ExpectedHost: 's3.example.com' });
    expect(error.message).toContain('s3.example.com');
    expect(error.details.CanonicalRequest).toContain('host:10.0.0.1:3000');
    // Only what is configured is tried: a client can send any other header.
    const forwarded = { host: 'a.example.com', 'x-forwarded-host': 'b.example.com' };
    const request = signRequest({ headers: forwarded, signedAs: { host: 'b.example.com' } });
    expect(await code(request)).toBe('SignatureDoesNotMatch');
  });

  test('takes the host without its default port', async () => {
    const headers = { host: 's3.example.com:443' };
    const signedAs = { host: 's3.example.com' };
    expect(await code(signRequest({ headers, signedAs }))).toBe('key');
    const other = { host: 's3.example.com:9000' };
    expect(await code(signRequest({ headers: other, signedAs }))).toBe('SignatureDoesNotMatch');
  });

  test('says that a segment of dots can’t be in a key', async () => {
    for (const target of ['/b/../c', '/b/%2e%2E/c', '/b/./c', '/b/.', '/b/.%2e']) {
      const error = (await outcome(signRequest({ target, signedTarget: '/c' }))) as S3Error;
      expect([error.code, error.message]).toEqual([
        'InvalidRequest',
        expect.stringContaining('".."'),
      ]);
    }
    expect(await code(signRequest({ target: '/b/...' }))).toBe('key');
    expect(await code(signRequest({ target: '/b/.a' }))).toBe('key');
  });

  test.each([
    'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
    'STREAMING-UNSIGNED-PAYLOAD',
    'unsigned-payload',
    'abc',
    '',
  ])('with the payload mode %p is refused', async (mode) => {
    expect(await code(signRequest({ headers: { 'x-amz-content-sha256': mode } }))).toBe(
      'InvalidArgument',
    );
  });

  test('that doesn’t say what its body is is refused', async () => {
    const request = signRequest({ signedAs: { 'x-amz-content-sha256': null } });
    request.headers.delete('x-amz-content-sha256');
    expect(await code(request)).toBe('InvalidRequest');
  });

  test.each([
    ['AWS AKID:signature', 'InvalidRequest'],
    ['AWS4-ECDSA-P256-SHA256 Credential=a', 'InvalidArgument'],
    ['Bearer abc', 'InvalidArgument'],
    ['', 'InvalidArgument'],
    ['AWS4-HMAC-SHA256', 'AuthorizationHeaderMalformed'],
    [
      'AWS4-HMAC-SHA256 Credential=AKIA/20130524/us-east-1/ec2/aws4_request',
      'AuthorizationHeaderMalformed',
    ],
    [`AWS4-HMAC-SHA256 ${','.repeat(9_000)}`, 'AuthorizationHeaderMalformed'],
  ])('by %.40p is refused', async (authorization, expected) => {
    const request = signRequest();
    request.headers.set('authorization', authorization);
    expect(await code(request)).toBe(expected);
  });

  test('by header and by query is refused', async () => {
    expect(await code(signRequest({ target: '/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256' }))).toBe(
      'InvalidArgument',
    );
  });
});

describe('a presigned URL', () => {
  const presigned = (change: Record<string, string | null>, headers = {}) => {
    const query = new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${ACCESS_KEY_ID}/20130524/us-east-1/s3/aws4_request`,
      'X-Amz-Date': '20130524T000000Z',
      'X-Amz-Expires': '86400',
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    });
    for (const [name, value] of Object.entries(change)) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    const host = 'examplebucket.s3.amazonaws.com';
    return requestTo('GET', `/test.txt?${query}`, { host, ...headers });
  };

  test.each([
    [-15 * MINUTE, 'key'],
    [-15 * MINUTE - SECOND, 'AccessDenied'],
    [DAY - 1, 'key'],
    [DAY, 'AccessDenied'],
  ])('is asked for %p ms after it was signed: %s', async (passed, expected) => {
    expect(await code(presigned({}), { now: NOW + passed })).toBe(expected);
  });

  test('doesn’t take headers that it doesn’t cover', async () => {
    expect(await code(presigned({}, { 'x-amz-acl': 'public-read' }))).toBe('AccessDenied');
  });

  test.each([
    [{ 'X-Amz-Expires': '604801' }],
    [{ 'X-Amz-Expires': '-1' }],
    [{ 'X-Amz-Expires': '1e3' }],
    [{ 'X-Amz-Expires': null }],
    [{ 'X-Amz-Date': '2013' }],
    [{ 'X-Amz-Date': '20130525T000000Z' }],
    [{ 'X-Amz-Signature': null }],
    [{ 'X-Amz-Signature': 'abc' }],
    [{ 'X-Amz-SignedHeaders': 'Host' }],
    [{ 'X-Amz-Credential': ACCESS_KEY_ID }],
    [{ 'X-Amz-Credential': `${ACCESS_KEY_ID}/20130524/${'r'.repeat(65)}/s3/aws4_request` }],
  ])('with %p is malformed', async (change) => {
    expect(await code(presigned(change))).toBe('AuthorizationQueryParametersError');
  });

  test('by Signature Version 2 is refused', async () => {
    const target = '/b/k?AWSAccessKeyId=AKID&Expires=1&Signature=abc';
    expect(await code(requestTo('GET', target, HOST))).toBe('InvalidRequest');
  });
});

test('a signing key is kept for each secret alone, whatever regions it is used with', () => {
  let reads = 0;
  const secretOf = (id: string) => ({
    id,
    read: () => {
      reads += 1;
      return 'secret';
    },
  });
  const keys = new SigningKeys();
  const scope = { date: '20130524', region: 'us-east-1' };
  const key = keys.get(secretOf('a'), scope);
  expect(keys.get(secretOf('a'), scope)).toBe(key);
  expect(reads).toBe(1);
  for (let n = 0; n < 100; n += 1) keys.get(secretOf('b'), { ...scope, region: `r${n}` });
  expect(keys.get(secretOf('a'), scope)).toBe(key);
  expect(keys.get(secretOf('c'), scope)).toEqual(key);
});

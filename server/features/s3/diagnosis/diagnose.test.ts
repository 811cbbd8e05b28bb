import { describe, expect, test } from 'bun:test';
import { MINUTE } from '../../../contract/limits.ts';
import { SigningKeys } from '../auth/signing-key.ts';
import { exampleDeps, NOW, requestTo, SECRET } from '../auth/testing/example-key.ts';
import { signRequest } from '../auth/testing/sign-request.ts';
import type { SignedRequest } from '../auth/types.ts';
import { diagnose } from './diagnose.ts';

const URL_OF_API = 'https://s3.example.com';
const findingsOf = (request: SignedRequest, { url = URL_OF_API, now = NOW } = {}) =>
  diagnose(
    {
      findKey: exampleDeps().findKey,
      signingKeys: new SigningKeys(),
      config: { url, domain: 'buckets.example.com' },
    },
    request,
    now,
  );
const problemsOf = async (...args: Parameters<typeof findingsOf>) =>
  (await findingsOf(...args)).filter(({ ok }) => !ok).map(({ text }) => text);

describe('the diagnosis of a request', () => {
  test('finds nothing wrong with a good one, also for the host of a bucket', async () => {
    expect(await problemsOf(signRequest())).toEqual([]);
    const host = 'photos.buckets.example.com';
    expect(await problemsOf(signRequest({ target: '/key', headers: { host } }))).toEqual([]);
  });

  test.each([
    [
      'another host, which the client has signed',
      signRequest({ headers: { host: '10.0.0.1:9000' } }),
      'the address of the S3 API is https://s3.example.com',
    ],
    [
      'a path that a proxy has cut',
      signRequest({ target: '/bucket/key', signedTarget: '/s3/bucket/key' }),
      'signed the path /s3/bucket/key, but the request arrived with /bucket/key',
    ],
    [
      'a method that a proxy has changed',
      { ...signRequest({ method: 'HEAD' }), method: 'GET' },
      'signed the method HEAD, but the request arrived with GET',
    ],
    [
      'a host that a proxy tells of',
      signRequest({
        headers: { host: 's3.example.com', 'x-forwarded-host': 'files.example.com' },
        signedAs: { host: 'files.example.com' },
      }),
      'signed the host files.example.com, but the request arrived with s3.example.com',
    ],
    ['another secret', signRequest({ secret: 'other' }), 'Check the secret access key'],
    ['a key that is not theirs', signRequest({ accessKeyId: 'WHRFOTHER' }), 'WHRFOTHER'],
    [
      'a header that was not signed',
      signRequest({ headers: { 'x-amz-acl': 'private' }, signedAs: { 'x-amz-acl': null } }),
      'sent but not signed: x-amz-acl',
    ],
    ['no signature', requestTo('GET', '/b/k', { host: 's3.example.com' }), 'has no signature'],
    [
      'an old signature',
      requestTo('GET', '/b/k', { host: 's3.example.com', authorization: 'AWS AKID:abc' }),
      'Signature Version 4',
    ],
  ])('names %s', async (_, request, text) => {
    expect((await problemsOf(request)).join('\n')).toContain(text);
  });

  test('names a header that was signed and is missing', async () => {
    const request = signRequest({ headers: { expect: '100-continue' } });
    request.headers.delete('expect');
    expect(await problemsOf(request)).toEqual([
      expect.stringContaining('which did not arrive: expect'),
    ]);
  });

  test('names both clocks, and goes on to the signature', async () => {
    const [clock, ...more] = await problemsOf(signRequest(), { now: NOW + 16 * MINUTE });
    expect(clock).toContain('20130524T000000Z');
    expect(clock).toContain('2013-05-24T00:16:00.000Z');
    expect(more).toEqual([]);
    const findings = await findingsOf(signRequest(), { now: NOW + 16 * MINUTE });
    expect(findings.at(-1)?.text).toContain('The signature is right');
  });

  test('says that the endpoint has a path', async () => {
    const url = 'https://s3.example.com/s3';
    expect(await problemsOf(signRequest(), { url })).toEqual([
      expect.stringContaining("doesn't begin with /s3"),
    ]);
  });

  test('has neither the secret nor a signature, nor tells a foreign key from none', async () => {
    for (const request of [signRequest(), signRequest({ secret: 'other' })]) {
      const text = JSON.stringify(await findingsOf(request));
      expect(text).not.toMatch(/[0-9a-f]{64}/);
      expect(text).not.toContain(SECRET);
    }
  });
});

import { describe, expect, test } from 'bun:test';
import { EnvReader } from './reader.ts';
import { readS3Bootstrap } from './s3-bootstrap.ts';

const SECRET = '3f9c1d7a5be04826c6d1e09f7a2b4c8d5e6f7081';
const read = (value: string | undefined, { isOn = true, email = 'a@example.com' } = {}) => {
  const env = new EnvReader({ S3_BOOTSTRAP: value, ADMIN_EMAIL: email });
  return { bootstrap: readS3Bootstrap(env, isOn), mistakes: env.mistakes };
};

describe('S3_BOOTSTRAP', () => {
  test('names a bucket, a key and a secret, which may have colons', () => {
    expect(read(`photos:MYKEY:${SECRET}:x`)).toEqual({
      bootstrap: {
        bucketName: 'photos',
        accessKeyId: 'MYKEY',
        secretAccessKey: `${SECRET}:x`,
        email: 'a@example.com',
      },
      mistakes: [],
    });
    expect(read(undefined)).toEqual({ bootstrap: null, mistakes: [] });
  });

  test.each([
    ['a part that is missing', `photos:${SECRET}`, {}, 'bucket:key:secret'],
    ['a bucket that no client could address', `Photos_1:MYKEY:${SECRET}`, {}, 'name of a bucket'],
    ['a bucket that looks like an ID', `${'0'.repeat(26)}:MYKEY:${SECRET}`, {}, 'name of a bucket'],
    ['a key with a slash', `photos:MY/KEY:${SECRET}`, {}, 'access key ID'],
    ['a short secret', 'photos:MYKEY:minioadmin', {}, 'openssl rand -hex 20'],
    ['a secret of few characters', `photos:MYKEY:${'ab'.repeat(20)}`, {}, '10 of them different'],
    ['a secret with a space', `photos:MYKEY:${SECRET} x`, {}, 'without spaces'],
    ['a secret that has the key in it', `photos:3f9c1d7a5be:${SECRET}`, {}, "doesn't contain"],
    ['a server without the S3 API', `photos:MYKEY:${SECRET}`, { isOn: false }, 'S3_PORT'],
    ['a server without an admin', `photos:MYKEY:${SECRET}`, { email: '' }, 'ADMIN_EMAIL'],
  ])('refuses %s with one line, which does not have the secret', (_, value, options, text) => {
    const { bootstrap, mistakes } = read(value, options);
    expect(bootstrap).toBeNull();
    expect(mistakes).toEqual([expect.stringContaining(text)]);
    expect(mistakes[0]).toStartWith('S3_BOOTSTRAP ');
    expect(mistakes[0]).not.toContain(value.split(':').at(-1) as string);
  });
});

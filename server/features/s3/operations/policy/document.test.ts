import { describe, expect, test } from 'bun:test';
import { S3Error } from '../../errors.ts';
import { isPublicPolicy, matchesPattern, parsePolicy } from './document.ts';

const READ = {
  ...{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject' },
  Resource: 'arn:aws:s3:::b/*',
};
const parse = (...statements: object[]) =>
  parsePolicy(JSON.stringify({ Version: '2012-10-17', Statement: statements }), 'b');
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('a policy', () => {
  test('says who reads which objects, and who lists the bucket with which prefix', () => {
    const policy = parse(
      { ...READ, Sid: 'one', Resource: ['arn:aws:s3:::b/open/*', 'arn:aws:s3:::b/one.txt'] },
      {
        ...{ Effect: 'Allow', Principal: { AWS: ['arn:aws:iam::u1:root', 'u2'] } },
        Action: ['s3:ListBucket', 's3:GetBucketLocation'],
        ...{ Resource: 'arn:aws:s3:::b', Condition: { StringLike: { 's3:prefix': 'open/*' } } },
      },
    );
    expect(policy).toEqual({
      reads: [{ principals: '*', keys: ['open/*', 'one.txt'] }],
      lists: [{ principals: ['u1', 'u2'], prefixes: ['open/*'] }],
    });
    expect(isPublicPolicy(policy)).toBe(true);
    expect(isPublicPolicy({ ...policy, reads: [] })).toBe(false);
  });

  test('lets nobody read by what is about the bucket, or list by what is about its objects', () => {
    const Action = ['s3:GetObject', 's3:ListBucket'];
    expect(parse({ ...READ, Action, Resource: 'arn:aws:s3:::b' }).reads).toEqual([]);
    expect(parse({ ...READ, Action, Resource: 'arn:aws:s3:::*/*' }).lists).toEqual([]);
  });

  test.each([
    ['that denies', { Effect: 'Deny' }, 'NotImplemented'],
    ['of an unknown effect', { Effect: 'Grant' }, 'MalformedPolicy'],
    ['that writes', { Action: 's3:PutObject' }, 'NotImplemented'],
    ['that also writes', { Action: ['s3:GetObject', 's3:PutObject'] }, 'NotImplemented'],
    ['of all actions', { Action: 's3:*' }, 'NotImplemented'],
    ['of all that gets', { Action: 's3:Get*' }, 'NotImplemented'],
    ['without an action', { Action: undefined }, 'MalformedPolicy'],
    ['without principals', { Principal: undefined }, 'MalformedPolicy'],
    ['of a service', { Principal: { Service: 'x' } }, 'MalformedPolicy'],
    ['of all but some', { Principal: undefined, NotPrincipal: { AWS: 'x' } }, 'MalformedPolicy'],
    ['of all but some keys', { NotResource: 'arn:aws:s3:::b/a' }, 'NotImplemented'],
    ['of another bucket', { Resource: 'arn:aws:s3:::c/*' }, 'MalformedPolicy'],
    ['of no bucket', { Resource: 'b/*' }, 'MalformedPolicy'],
    ['with a pattern inside', { Resource: 'arn:aws:s3:::b/*/a' }, 'NotImplemented'],
    ['with a question mark', { Resource: 'arn:aws:s3:::b/?' }, 'NotImplemented'],
    [
      'with a condition',
      { Condition: { Bool: { 'aws:SecureTransport': 'true' } } },
      'NotImplemented',
    ],
    [
      'that reads with a prefix',
      { Condition: { StringLike: { 's3:prefix': 'a*' } } },
      'NotImplemented',
    ],
    ['with what nobody knows', { Other: 1 }, 'MalformedPolicy'],
  ])('is refused with a statement %s', (_, change, code) => {
    // A statement that alone would be accepted does not hide it.
    expect(codeOf(() => parse(READ, { ...READ, ...change }))).toBe(code);
  });

  test.each(['', '[]', '{}', '{"Statement":[]}', '{"Statement":["x"]}', 'null', '{"Other":1}'])(
    'is refused as %p',
    (text) => {
      expect(codeOf(() => parsePolicy(text, 'b'))).toBe('MalformedPolicy');
    },
  );

  test('is refused where it is longer than a bucket keeps', () => {
    expect(codeOf(() => parse({ ...READ, Sid: 'x'.repeat(9000) }))).toBe('MalformedPolicy');
    expect(codeOf(() => parse(...Array<object>(51).fill(READ)))).toBe('MalformedPolicy');
  });
});

test('a pattern is a text, or the beginning of one', () => {
  for (const [pattern, text, expected] of [
    ['*', '', true],
    ['a/*', 'a/b/c', true],
    ['a/*', 'a', false],
    ['a', 'a', true],
    ['a', 'ab', false],
  ] as const) {
    expect([pattern, text, matchesPattern([pattern], text)]).toEqual([pattern, text, expected]);
  }
});

import { describe, expect, test } from 'bun:test';
import { parsePolicy, requireAllowed } from './policy.ts';

const NOW = Date.UTC(2026, 10, 2);
const encode = (document: unknown) =>
  Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString(
    'base64',
  );
const policyOf = (conditions: unknown, expiration: unknown = '2026-11-03T00:00:00Z') =>
  parsePolicy(encode({ expiration, conditions }));
const refusalOf = (conditions: unknown[], fields: Record<string, string>) => {
  try {
    requireAllowed(policyOf(conditions), new Map(Object.entries(fields)), NOW);
    return null;
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
};

describe('a policy', () => {
  test('allows the fields that its conditions name, and what has no meaning', () => {
    const conditions = [
      { bucket: 'photos', acl: 'private' },
      ['starts-with', '$key', 'user/'],
      ['STARTS-WITH', '$Content-Type', ''],
      ['eq', '$x-amz-meta-Tag', 'a'],
      ['content-length-range', 0, 10],
    ];
    const fields = {
      ...{ bucket: 'photos', acl: 'private', key: 'user/a', 'content-type': 'text/plain' },
      ...{ 'x-amz-meta-tag': 'a', policy: 'x', 'x-amz-signature': 'y', 'x-ignore-this': 'z' },
    };
    expect(refusalOf(conditions, fields)).toBeNull();
  });

  test.each([
    ['a field without a condition', [{ bucket: 'b' }], { bucket: 'b', key: 'k' }, 'Extra input'],
    ['a bucket without a condition', [{ key: 'k' }], { bucket: 'b', key: 'k' }, 'Extra input'],
    ['another value', [{ bucket: 'b' }], { bucket: 'c' }, 'Policy Condition failed'],
    ['a value in other letters', [{ bucket: 'b' }], { bucket: 'B' }, 'Policy Condition failed'],
    ['another beginning', [['starts-with', '$key', 'a/']], { key: 'b/a/' }, 'Condition failed'],
    ['a field that is missing', [['eq', '$acl', 'private']], {}, 'no such field'],
    ['a missing field of any value', [['starts-with', '$acl', '']], {}, 'no such field'],
  ])('refuses %s', (_, conditions, fields, text) => {
    const refusal = refusalOf(conditions, fields as Record<string, string>);
    expect(refusal).toContain(text);
    expect(refusal).toStartWith('AccessDenied: Invalid according to Policy');
  });

  test('is valid until its expiration alone', () => {
    const policy = policyOf([], '2026-11-02T00:00:00.001Z');
    expect(() => requireAllowed(policy, new Map(), NOW)).not.toThrow();
    expect(() => requireAllowed(policy, new Map(), NOW + 1)).toThrow('Policy expired');
  });

  test('has the narrowest of its ranges', () => {
    const ranges = [
      ['content-length-range', 1, 100],
      ['content-length-range', '5', '500'],
    ];
    expect(policyOf(ranges)).toMatchObject({ minBytes: 5, maxBytes: 100 });
    expect(policyOf([])).toMatchObject({ minBytes: 0, maxBytes: Number.POSITIVE_INFINITY });
  });

  test.each([
    ['no JSON', 'x{'],
    ['null', 'null'],
    ['no expiration', { conditions: [] }],
    ['an expiration that is no time', { expiration: '2026-11-03 00:00:00', conditions: [] }],
    ['a day that does not exist', { expiration: '2026-13-03T00:00:00Z', conditions: [] }],
    ['no conditions', { expiration: '2026-11-03T00:00:00Z' }],
    ['its names in other letters', { EXPIRATION: '2026-11-03T00:00:00Z', CONDITIONS: [] }],
    ['an empty condition', [{}]],
    ['a condition that is a text', ['acl']],
    ['a value that is no text', [{ acl: 1 }]],
    ['an operator that is unknown', [['ends-with', '$key', 'a']]],
    ['a field without its sign', [['eq', 'key', 'a']]],
    ['a condition of four parts', [['eq', '$key', 'a', 'b']]],
    ['a range without its end', [['content-length-range', 0]]],
    ['a range below zero', [['content-length-range', -1, 0]]],
    ['a range of no numbers', [['content-length-range', 'a', 'b']]],
  ])('is refused with %s', (_, document) => {
    const parse = () =>
      Array.isArray(document) ? policyOf(document) : parsePolicy(encode(document));
    expect(parse).toThrow(expect.objectContaining({ code: 'InvalidPolicyDocument' }));
  });
});

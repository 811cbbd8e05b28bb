import { describe, expect, test } from 'bun:test';
import { HOUR } from '../../contract/limits.ts';
import type { Grant } from '../tokens/service.ts';
import { authorizeDelivery, type DeliveryDenial, toDeliveryError } from './authorize.ts';

const NOW = Date.UTC(2026, 0, 1);
const GOOD: Grant = {
  id: 'token',
  bucketId: 'bucket',
  fileId: null,
  keyVersion: 7,
  expiresAt: NOW + HOUR,
};

/**
 * What a URL's token may be, and what a private file answers to it in a bucket that is delivered.
 */
const TOKENS: [string, Grant | null | undefined, DeliveryDenial | null][] = [
  ['no token', undefined, 'token-missing'],
  ['a forged token or one of another scope', null, 'token-invalid'],
  ['the token of a list or of the bucket', GOOD, null],
  ['a token without an expiry', { ...GOOD, expiresAt: Number.POSITIVE_INFINITY }, null],
  ['the token of the file', { ...GOOD, fileId: 'file' }, null],
  ['the token of another file', { ...GOOD, fileId: 'other' }, 'token-invalid'],
  ['the token of another bucket', { ...GOOD, bucketId: 'other' }, 'token-invalid'],
  ['a token in its last millisecond', { ...GOOD, expiresAt: NOW + 1 }, null],
  ['a token that expires now', { ...GOOD, expiresAt: NOW }, 'token-invalid'],
  ['a token that a new key revoked', { ...GOOD, keyVersion: 6 }, 'token-invalid'],
];

/** What a bucket may be; the expected denial comes before anything that the file or the token says. */
const BUCKETS: [string, Parameters<typeof authorizeDelivery>[1], DeliveryDenial | null][] = (
  [
    ['that is running', 'running', null, null],
    ['that is banned, or whose owner is', 'banned', null, 'hidden'],
    ['that is being deleted', 'deleting', null, 'hidden'],
    ['that is suspended, but still delivered', 'suspended', NOW + 1, null],
    ['that is suspended, and not delivered from now on', 'suspended', NOW, 'suspended'],
    ['that is suspended, and not delivered any more', 'suspended', 0, 'suspended'],
    ['that is banned while it is suspended', 'banned', 0, 'hidden'],
    ['that has reached its bandwidth limit', 'running', null, 'limit-reached', NOW + 1],
    ['whose bandwidth limit ends now', 'running', null, null, NOW],
    ['that is banned at its limit', 'banned', null, 'hidden', NOW + 1],
  ] as const
).map(([name, status, delivery_until, expected, delivery_stopped_until = null]) => [
  name,
  { id: 'bucket', key_version: 7, status, delivery_until, delivery_stopped_until },
  expected,
]);

describe.each(BUCKETS)('in a bucket %s', (_, bucket, bucketDenial) => {
  test.each(TOKENS)('%s', (_token, grant, tokenDenial) => {
    const decide = (access: 'public' | 'private') =>
      authorizeDelivery({ id: 'file', access }, bucket, grant, NOW);
    expect({ public: decide('public'), private: decide('private') }).toEqual({
      public: bucketDenial,
      private: bucketDenial ?? tokenDenial,
    });
  });
});

test.each([
  ['hidden', 404, 'not-found'],
  ['suspended', 402, 'payment-required'],
  ['limit-reached', 429, 'bandwidth-limit'],
  ['token-missing', 401, 'unauthorized'],
  ['token-invalid', 403, 'bad-token'],
] as const)('%s is answered with %d %s', (denial, status, code) => {
  expect(toDeliveryError(denial, HOUR)).toMatchObject({ status, code });
});

import { expect, test } from 'bun:test';
import { HOUR } from '../../contract/limits.ts';
import { toDeliveryError } from './authorize.ts';

test.each([
  ['hidden', 404, 'not-found'],
  ['suspended', 402, 'payment-required'],
  ['limit-reached', 429, 'bandwidth-limit'],
  ['token-missing', 401, 'unauthorized'],
  ['token-invalid', 403, 'bad-token'],
] as const)('%s is answered with %d %s', (refusal, status, code) => {
  expect(toDeliveryError(refusal, HOUR)).toMatchObject({ status, code });
});

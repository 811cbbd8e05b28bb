import { expect, test } from 'bun:test';
import { tooLarge } from '../../../errors.ts';
import { translateErrors } from './errors.ts';

const failure = (name: string, httpStatusCode?: number, code?: string) =>
  Object.assign(new Error(name), { name, code, $metadata: { httpStatusCode } });

test.each([
  ['InternalError', 500],
  ['ServiceUnavailable', 503],
  ['SlowDown', 429],
  ['TimeoutError', undefined],
])('%s may pass', (name, status) => {
  expect(translateErrors(failure(name, status))).toMatchObject({
    status: 503,
    code: 'unavailable',
  });
});

test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'])('%s may pass', (code) => {
  expect(translateErrors(failure('Error', undefined, code))).toMatchObject({ status: 503 });
});

test.each([
  ['QuotaExceeded', 403],
  ['XMinioStorageFull', 507],
  ['Whatever', 507],
])('%s with %d means that there is no room', (name, status) => {
  expect(translateErrors(failure(name, status))).toMatchObject({
    status: 507,
    code: 'storage-full',
  });
});

test('a request that the server does not know fails for good', () => {
  const unknown = failure('NotImplemented', 501);
  expect(translateErrors(unknown)).toBe(unknown);
});

test('what is wrong for good stays as it is, and so does what we said ourselves', () => {
  const denied = failure('AccessDenied', 403);
  expect(translateErrors(denied)).toBe(denied);
  const ours = tooLarge('no');
  expect(translateErrors(ours)).toBe(ours);
  expect(translateErrors(undefined)).toBeUndefined();
});

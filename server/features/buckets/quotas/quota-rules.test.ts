import { expect, test } from 'bun:test';
import { MIB } from '../../../contract/limits.ts';
import { requireBucket, requireUpload } from './quota-rules.ts';

const LIMITS = { maxBuckets: 2, maxOpenUploads: 3, maxOpenBytes: 10 * MIB };
const refusalOf = (check: () => void) => {
  try {
    check();
    return null;
  } catch (error) {
    return error;
  }
};
const refused = (text: string) =>
  expect.objectContaining({
    status: 403,
    code: 'quota-exceeded',
    text: expect.stringContaining(text),
  });

test.each([
  [0, 0, 10 * MIB, null],
  [2, 0, 1, null],
  [3, 0, 1, '3 unfinished uploads'],
  [1, 0, 10 * MIB + 1, '10.00 MiB in total'],
  [1, 9 * MIB, MIB, null],
  [1, 9 * MIB, MIB + 1, '10.00 MiB in total'],
  [0, 10 * MIB, 0, null],
])(
  'with %d uploads open of %d bytes, one of %d is refused with: %p',
  (count, bytes, more, text) => {
    const refusal = refusalOf(() => requireUpload({ count, bytes }, more, LIMITS));
    expect(refusal).toEqual(text === null ? null : refused(text));
  },
);

test.each([
  [1, null],
  [2, '2 buckets'],
  [5, '5 buckets'],
])('with %d buckets, another one is refused with: %p', (buckets, text) => {
  const refusal = refusalOf(() => requireBucket(buckets, LIMITS));
  expect(refusal).toEqual(text === null ? null : refused(text));
});

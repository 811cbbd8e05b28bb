import { describe, expect, test } from 'bun:test';
import { MIB } from '../../../contract/limits.ts';
import {
  type QuotaLimits,
  requireBucket,
  requireUpload,
  type StorageLimit,
  storageLimitOf,
} from './quota-rules.ts';

const LIMITS: QuotaLimits = {
  maxBuckets: 2,
  maxOpenUploads: 3,
  maxOpenBytes: 10 * MIB,
  maxBytes: null,
  trialMaxBytes: null,
};

/** Returns the text of the refusal; null where nothing is refused. */
function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    expect(error).toMatchObject({ status: 403, code: 'quota-exceeded' });
    return (error as Error).message;
  }
}
const refusal = (text: string | null) => (text === null ? null : expect.stringContaining(text));

describe('an upload', () => {
  test.each([
    [0, 0, 10 * MIB, null],
    [2, 0, 1, null],
    [3, 0, 1, '3 unfinished uploads'],
    [1, 0, 10 * MIB + 1, '10.00 MiB in total'],
    [1, 9 * MIB, MIB, null],
    [1, 9 * MIB, MIB + 1, '10.00 MiB in total'],
    [0, 10 * MIB, 0, null],
  ])(
    'beside %d others of %d bytes, with %d bytes, is refused: %p',
    (openUploads, openBytes, bytes, text) => {
      const usage = { storedBytes: 0, openUploads, openBytes };
      expect(refusalOf(() => requireUpload(usage, bytes, LIMITS, null))).toEqual(refusal(text));
    },
  );

  const five: StorageLimit = { bytes: 5 * MIB, isTrial: false };
  test.each([
    [null, 100 * MIB, 0, MIB, null],
    [five, 4 * MIB, 0, MIB, null],
    [five, 4 * MIB, 0, MIB + 1, '5.00 MiB (4.00 MiB used). Delete files to make room.'],
    [five, 2 * MIB, 2 * MIB, MIB, null],
    [five, 2 * MIB, 2 * MIB, MIB + 1, '5.00 MiB (4.00 MiB used). Delete files to make room.'],
    [five, 6 * MIB, 0, 1, '5.00 MiB (6.00 MiB used)'],
    [{ bytes: 0, isTrial: false }, 0, 0, 1, '0.00 KiB (0.00 KiB used)'],
    [
      { bytes: MIB, isTrial: true },
      MIB,
      0,
      1,
      'Delete files, or top up the account, to make room.',
    ],
  ])('is kept within the storage limit, case %#', (limit, storedBytes, openBytes, bytes, text) => {
    const usage = { storedBytes, openUploads: 0, openBytes };
    expect(refusalOf(() => requireUpload(usage, bytes, LIMITS, limit))).toEqual(refusal(text));
  });
});

test.each([
  [1, null],
  [2, '2 buckets'],
  [5, '5 buckets'],
])('with %d buckets, another one is refused: %p', (buckets, text) => {
  expect(refusalOf(() => requireBucket(buckets, LIMITS))).toEqual(refusal(text));
});

test.each([
  [null, null, null, true, null],
  [null, null, 7, true, { bytes: 7, isTrial: true }],
  [null, null, 7, false, null],
  [null, 5, 7, true, { bytes: 5, isTrial: false }],
  [9, 5, 7, true, { bytes: 9, isTrial: false }],
  [0, null, null, false, { bytes: 0, isTrial: false }],
])(
  'an account has its own storage limit, or the one of all, or that of a trial, case %#',
  (own, maxBytes, trialMaxBytes, isTrial, limit) => {
    expect(storageLimitOf(own, { ...LIMITS, maxBytes, trialMaxBytes }, isTrial)).toEqual(limit);
  },
);

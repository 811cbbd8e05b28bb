import { expect, test } from 'bun:test';
import type { BucketStatus } from '../../contract/wire.ts';
import { type BucketState, bucketStatusOf, requireNotBanned } from './bucket-status.ts';

const cases: [Partial<BucketState>, BucketStatus][] = [
  [{}, 'running'],
  [{ delivery_until: 1 }, 'suspended'],
  // An earlier version wrote the suspension of an account into its buckets.
  [{ status: 'suspended' }, 'running'],
  [{ banned_at: 1 }, 'banned'],
  [{ banned_at: 1, delivery_until: 1 }, 'banned'],
  [{ owner_status: 'banned' }, 'banned'],
  [{ owner_status: 'banned', delivery_until: 1 }, 'banned'],
  [{ owner_status: 'deleting' }, 'banned'],
  [{ owner_status: null }, 'banned'],
  [{ banned_at: 1, status: 'deleting' }, 'deleting'],
  [{ owner_status: 'banned', status: 'deleting' }, 'deleting'],
];
for (const [change, expected] of cases) {
  test(`a bucket of ${JSON.stringify(change)} stands as ${expected}`, () => {
    const bucket = {
      status: 'running',
      banned_at: null,
      owner_status: 'active',
      delivery_until: null,
      ...change,
    } as const;
    expect(bucketStatusOf(bucket)).toBe(expected);
  });
}

const callers = [
  { isOwner: true, right: 'manage', refused: false },
  { isOwner: true, right: 'upload', refused: true },
  { isOwner: false, right: 'manage', refused: true },
  { isOwner: false, right: 'upload', refused: true },
] as const;
for (const { refused, ...caller } of callers) {
  test(`a banned bucket ${refused ? 'refuses' : 'admits'} ${JSON.stringify(caller)}`, () => {
    const check = () => requireNotBanned({ status: 'banned' }, caller);
    if (refused) expect(check).toThrow('This bucket is banned.');
    else expect(check).not.toThrow();
    expect(() => requireNotBanned({ status: 'suspended' }, caller)).not.toThrow();
  });
}

import { expect, test } from 'bun:test';
import type { BucketStatus } from '../../contract/wire.ts';
import { type BucketState, bucketStatusOf } from './bucket-status.ts';

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

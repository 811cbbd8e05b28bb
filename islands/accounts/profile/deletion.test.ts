import { expect, test } from 'bun:test';
import { deletionImpactText } from './deletion.tsx';

test('a loss is told in numbers', () => {
  expect(deletionImpactText({ buckets: 3, files: 12, bytes: 1_524_713_390 })).toBe(
    '3 buckets, 12 files, 1.42 GiB',
  );
});

test('a bucket is told of without counting buckets', () => {
  expect(deletionImpactText({ files: 0, bytes: 0 })).toBe('0 files, 0.00 KiB');
});

test('one of a thing is not many', () => {
  expect(deletionImpactText({ buckets: 1, files: 1, bytes: 2048 })).toBe(
    '1 bucket, 1 file, 2.00 KiB',
  );
});

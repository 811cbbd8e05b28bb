import { expect, test } from 'bun:test';
import { KIB, MIB } from '../../../server/contract/limits.ts';
import { rulesText, tooLargeText } from './upload-rules.ts';

test('a bucket says what it accepts, and nothing where it accepts all', () => {
  const text = (allowed_types: string[], max_file_bytes: number | null = null) =>
    rulesText({ allowed_types, max_file_bytes });
  expect(text([])).toBeNull();
  expect(text([], 5 * MIB)).toBe('This bucket accepts files of up to 5.00 MiB each.');
  expect(text(['image/*', 'application/pdf'], 5 * MIB)).toBe(
    'This bucket accepts images and application/pdf, up to 5.00 MiB each.',
  );
  expect(text(['a/a', 'a/b', 'a/c', 'a/d', 'a/e', 'a/f'])).toBe(
    'This bucket accepts a/a, a/b, a/c, a/d and 2 more types.',
  );
});

test('the first file that is too large is named, one of exactly the limit is not', () => {
  const rules = { allowed_types: [], max_file_bytes: 10 * KIB };
  const files = [10, 11].map((kib) => ({ name: `${kib}.txt`, size: kib * KIB }));
  expect(tooLargeText(files, rules)).toBe(
    '11.txt is larger than 10.00 KiB, the most that this bucket accepts.',
  );
  expect(tooLargeText(files.slice(0, 1), rules)).toBeNull();
  expect(tooLargeText(files, { ...rules, max_file_bytes: null })).toBeNull();
});

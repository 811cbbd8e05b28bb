import { expect, test } from 'bun:test';
import { DAY } from '../../../contract/limits.ts';
import { expiryColumns, isExpiredBy, nextExpiryStart, parseExpiryRules } from './rules.ts';

const rule = (prefix: string, days = 1) => ({ prefix, days });

test('of several rules for a path the one with the fewest days holds', () => {
  const rules = [rule('a/', 5), rule('a/b/', 2), rule('c', 1)];
  const isExpired = (path: string, days: number) =>
    isExpiredBy(rules, { path, created_at: 1000 }, 1000 + days * DAY);
  expect(isExpired('a/x', 4.9)).toBe(false);
  expect(isExpired('a/x', 5)).toBe(true);
  expect(isExpired('a/b/x', 1.9)).toBe(false);
  expect(isExpired('a/b/x', 2)).toBe(true);
  expect(isExpired('cc', 1)).toBe(true);
  for (const path of ['a', 'b/a/x', 'A/x', 'd']) expect(isExpired(path, 1e6)).toBe(false);
});

test('a search leaves out the paths that no rule is about, in the order of bytes', () => {
  // In the order of JavaScript the last two are the other way round.
  const rules = [rule('b/'), rule('b/c/'), rule('a'), rule('\u{1f600}'), rule('\uff41')];
  expect(nextExpiryStart(rules, '')).toBe('a');
  expect(nextExpiryStart(rules, 'ab\u0001')).toBe('ab\u0001');
  expect(nextExpiryStart(rules, 'b')).toBe('b/');
  expect(nextExpiryStart(rules, 'b/z\u0001')).toBe('b/z\u0001');
  expect(nextExpiryStart(rules, 'c')).toBe('\uff41');
  expect(nextExpiryStart(rules, '\uff42')).toBe('\u{1f600}');
  expect(nextExpiryStart(rules, '\u{1f601}')).toBeNull();
  expect(nextExpiryStart([rule('')], '')).toBe('');
  expect(nextExpiryStart([rule('')], 'x\u0001')).toBe('x\u0001');
  expect(nextExpiryStart([], '')).toBeNull();
});

test('prefixes with which no path begins, repeated ones, and too many bytes of them are refused', () => {
  const columns = expiryColumns([rule('a/', 3), rule('', 9)], 7);
  expect(columns).toMatchObject({ expiry_due_at: 7, expiry_position: '' });
  expect(parseExpiryRules(columns.expiry_rules)).toEqual([rule('a/', 3), rule('', 9)]);
  expect(expiryColumns([], 7)).toMatchObject({ expiry_rules: null, expiry_due_at: null });
  const lists = [
    ...['/a', 'a//b', 'a\u0000', '\ud800', 'x'.repeat(256)].map((prefix) => [rule(prefix)]),
    [rule('a'), rule('a', 2)],
    Array.from({ length: 90 }, (_, n) => rule(`${n}${'x'.repeat(120)}`)),
  ];
  for (const rules of lists) {
    expect(() => expiryColumns(rules, 7)).toThrow(expect.objectContaining({ status: 422 }));
  }
});

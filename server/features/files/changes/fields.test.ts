import { expect, test } from 'bun:test';
import { parseFields } from './fields.ts';

const NOW = Date.UTC(2026, 0, 1);

test('fields that are left out stay, and null clears a time', () => {
  expect(parseFields({}, NOW)).toEqual({});
  expect(parseFields({ access: 'private', expires_at: null, metadata: {} }, NOW)).toEqual({
    ...{ access: 'private', expires_at: null, metadata: null },
  });
});

test('a time to expire is one in the future, in whole seconds', () => {
  const parse = (expires_at: string) => parseFields({ expires_at }, NOW).expires_at;
  expect(parse('2026-01-01T00:00:01.999Z')).toBe(NOW + 1000);
  expect(parse('2026-01-01T02:00:00+01:00')).toBe(NOW + 3_600_000);
  for (const wrong of [
    ...['', 'tomorrow', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00Z', '2025-12-31T23:59:59Z'],
    ...['2027-01-01', '2027-01-01T00:00:00', '2027-02-30T00:00:00Z', '10000-01-01T00:00:00Z'],
  ]) {
    expect(() => parse(wrong)).toThrow('expires_at must be');
  }
});

test('metadata is kept as it was sent, up to 2 KB of UTF-8', () => {
  const parse = (metadata: unknown) => parseFields({ metadata }, NOW).metadata;
  const metadata = { ä: '😀', empty: '', 'a.b': '\u0000"' };
  expect(JSON.parse(parse(metadata) ?? '')).toEqual(metadata);
  const room = 2048 - '{"a":""}'.length;
  expect(parse({ a: 'x'.repeat(room) })).toHaveLength(2048);
  for (const text of ['x'.repeat(room + 1), 'ä'.repeat(room / 2 + 1)]) {
    expect(() => parse({ a: text })).toThrow('metadata must be at most');
  }
  for (const wrong of ['x', 1, [], null, { a: 1 }, { a: null }, { a: {} }]) {
    expect(() => parse(wrong)).toThrow('metadata must be an object');
  }
});

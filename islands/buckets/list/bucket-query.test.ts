import { expect, test } from 'bun:test';
import { toSearchParam } from '../../ui/form/search-field.tsx';
import { listParams, readListView, toBucketFilters } from './bucket-query.ts';

const read = (search: string) => readListView(new URLSearchParams(search));

test('a URL that says nothing lists all, and makes a URL that says nothing', () => {
  expect(toBucketFilters(read(''))).toEqual({ name: '', from: '', to: '' });
  expect(listParams(read(''))).toEqual({});
});

test('what is in the URL is asked for, words joined by &, and makes the same URL again', () => {
  const search = 'name=summer+photos&from=2025-01-01&to=2025-02-01';
  const view = read(search);
  expect(toBucketFilters(view)).toEqual({
    name: 'summer&photos',
    from: '2025-01-01',
    to: '2025-02-01',
  });
  expect(new URLSearchParams(listParams(view)).toString()).toBe(search);
});

test.each([
  ['  summer   photos ', 'summer&photos'],
  ['a\tb\nc', 'a&b&c'],
  ['R&D', 'R&D'],
  ['   ', ''],
  ['\u0000', ''],
])('%j is asked for as %j', (typed, expected) => {
  expect(toSearchParam(typed)).toBe(expected);
});

test.each(['from=2025-01-01', 'from=2025-02-02&to=2025-02-01', 'from=2025-02-30&to=2025-03-01'])(
  '%s counts as no range',
  (search) => {
    expect(listParams(read(search))).toEqual({});
  },
);

test('a name that no bucket can have is cut to what the server takes', () => {
  expect(toBucketFilters(read(`name=${'x'.repeat(300)}`)).name).toHaveLength(100);
  expect(toBucketFilters(read(`name=${'x'.repeat(99)}+y`)).name).toHaveLength(99);
});

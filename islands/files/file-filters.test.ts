import { expect, test } from 'bun:test';
import { paramsOf, readView } from './file-filters.tsx';

const roundTrip = (search: string) =>
  new URLSearchParams(paramsOf(readView(new URLSearchParams(search)))).toString();

test('a URL’s filters go into the call as they are, the open file does not', () => {
  const search = 'from=2026-02-03&to=2026-02-10&file_type=video&access=private';
  expect(roundTrip(`file=01abc&${search}`)).toBe(search);
});

test('without filters nothing is asked for', () => {
  expect(roundTrip('')).toBe('');
});

test.each([
  'file_type=folder&access=secret',
  'file_type=&access=',
  'file_type=toString&access=__proto__',
  'from=2026-02-10',
  'from=2026-02-10&to=2026-02-03',
  'from=2026-02-30&to=2026-03-03',
])('what is no filter counts as none: %p', (search) => {
  expect(roundTrip(search)).toBe('');
});

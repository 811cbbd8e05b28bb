import { expect, test } from 'bun:test';
import { all, NOTHING, rangeTo, toggled } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const idsOf = ({ ids }: { ids: ReadonlySet<string> }) => [...ids].join('');

test('a row is selected, and no more', () => {
  const one = toggled(NOTHING, 'b');
  expect([idsOf(one), idsOf(toggled(one, 'd')), idsOf(toggled(one, 'b'))]).toEqual(['b', 'bd', '']);
});

test('a range goes from the row that was selected last, in both directions, and shrinks again', () => {
  const start = toggled(NOTHING, 'c');
  const down = rangeTo(start, { from: 'c', to: 'e' }, ORDER);
  expect(idsOf(down)).toBe('cde');
  expect(idsOf(rangeTo(down, { from: 'e', to: 'd' }, ORDER))).toBe('cd');
  expect(idsOf(rangeTo(down, { from: 'e', to: 'a' }, ORDER))).toBe('abc');
});

test('a range without a first row, or whose first row is gone, begins where the focus is', () => {
  expect(idsOf(rangeTo(NOTHING, { from: 'b', to: 'c' }, ORDER))).toBe('bc');
  expect(idsOf(rangeTo(toggled(NOTHING, 'x'), { from: 'b', to: 'c' }, ORDER))).toBe('bc');
});

test('all rows are selected', () => {
  expect(idsOf(all(ORDER))).toBe('abcde');
});

import { expect, test } from 'bun:test';
import { paramsOf, readView, selectionOf, toggled } from './view.ts';

const read = (search: string) => readView(new URLSearchParams(search));

test('a URL that says nothing shows all on disk, in KiB, and asks for nothing', () => {
  expect(selectionOf(read(''))).toEqual({ chartType: 'disk-all', unit: 'KiB' });
  expect(paramsOf(read(''))).toEqual({});
});

test('what is in the URL is asked for, and a view makes the URL that it came from', () => {
  const search = 'from=2025-01-01&to=2025-02-01&chartType=bandwidth&unit=GiB';
  expect(selectionOf(read(search))).toEqual({ chartType: 'bandwidth', unit: 'GiB' });
  expect(new URLSearchParams(paramsOf(read(search))).toString()).toBe(search);
});

test.each(['chartType=disk', 'unit=kib', 'unit=toString', 'from=2025-01-01', 'from=x&to=y'])(
  '%s counts as nothing',
  (search) => {
    expect(paramsOf(read(search))).toEqual({});
  },
);

test('choosing what is chosen clears it, choosing something else takes its place', () => {
  expect(toggled('GiB', 'GiB')).toBeUndefined();
  expect(toggled('GiB', 'MiB')).toBe('MiB');
  expect(toggled(selectionOf(read('')).unit, 'KiB')).toBeUndefined();
});

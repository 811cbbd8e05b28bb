import { expect, test } from 'bun:test';
import { formatCost, formatMonth } from './costs-panel.tsx';

test('a cost is shown in cents, a small one in four decimals, and never as nothing', () => {
  expect([0, 1234.5, 12.345, 0.01, 0.0099, 0.0004, 0.000001].map(formatCost)).toEqual([
    '$0.00',
    '$1,234.50',
    '$12.35',
    '$0.01',
    '$0.0099',
    '$0.0004',
    '<$0.0001',
  ]);
});

test('a month is named in UTC', () => {
  expect(formatMonth('2026-11')).toBe('November 2026');
});

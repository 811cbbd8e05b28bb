import { expect, test } from 'bun:test';
import { formatEstimate } from './costs-panel.tsx';

test('an estimate is shown in cents, and a small one not as nothing', () => {
  expect([0, 1234.5, 12.345678, 0.01, 0.0099, 0.000001].map(formatEstimate)).toEqual([
    '$0.00',
    '$1,234.50',
    '$12.35',
    '$0.01',
    '<$0.01',
    '<$0.01',
  ]);
});

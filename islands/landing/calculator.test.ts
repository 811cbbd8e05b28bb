import { expect, test } from 'bun:test';
import { formatEstimate, monthlyCost, parseAmount } from './calculator.ts';

const prices = { storage: 0.03, bandwidth: 0.005, upload: 0.005 };

test('a month costs what is stored, delivered and uploaded', () => {
  const cost = monthlyCost(prices, { storage: 100, bandwidth: 500, upload: 50 });
  expect(formatEstimate(cost)).toBe('$5.75');
});

test('what is no amount costs nothing', () => {
  for (const text of ['', 'abc', '-5', 'Infinity', 'NaN']) expect(parseAmount(text)).toBe(0);
  expect(parseAmount(' 1,5 ')).toBe(1.5);
});

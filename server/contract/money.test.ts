import { describe, expect, test } from 'bun:test';
import {
  floorToCents,
  formatAmount,
  formatBalance,
  parseTopUp,
  TOP_UP_TEXTS,
  toMicroUsd,
  toUsd,
} from './money.ts';

describe('a balance is shown floored to cents', () => {
  const amounts: [number, string][] = [
    [0, '$0.00'],
    [-0, '$0.00'],
    [1, '$1.00'],
    [1.15, '$1.15'],
    [4.35, '$4.35'],
    [0.29, '$0.29'],
    [0.999999, '$0.99'],
    [0.01, '$0.01'],
    [0.009999, '$0.00'],
    [0.000001, '$0.00'],
    [-0.000001, '-$0.01'],
    [-0.01, '-$0.01'],
    [-0.010001, '-$0.02'],
    [-1.15, '-$1.15'],
    [-12.345678, '-$12.35'],
    [-1234.5, '-$1,234.50'],
    [1234.5, '$1,234.50'],
    [900_719_925.740991, '$900,719,925.74'],
  ];
  for (const [usd, text] of amounts) {
    test(`${usd} as ${text}`, () => {
      expect(formatBalance(usd)).toBe(text);
    });
  }
});

test('what is left after a refund is whole cents, as it is typed', () => {
  for (let refunded = 0; refunded <= 2000; refunded += 1) {
    const left = floorToCents(20 - refunded / 100);
    expect(left).toBe((2000 - refunded) / 100);
    expect(left).toBe(Number(left.toFixed(2)));
  }
});

test('every decimal of configuration is exact in micro-USD, and comes back as it was', () => {
  for (const text of ['0.03', '0.005', '0.000001', '0.1', '1.15', '999999.999999', '123456.7']) {
    const [dollars = '', fraction = ''] = text.split('.');
    const micro = Number(dollars + fraction.padEnd(6, '0'));
    expect(toMicroUsd(Number(text))).toBe(micro);
    expect(toUsd(micro)).toBe(Number(text));
  }
});

test('an amount is digits with at most two decimals, from 5 to 10,000 dollars', () => {
  const amounts = { '5': 5e6, '5.00': 5e6, '5.5': 5.5e6, '19.99': 19_990_000, '10000': 1e10 };
  for (const [text, amount] of Object.entries(amounts)) {
    expect([text, parseTopUp(text)]).toEqual([text, { amount }]);
  }
  expect(parseTopUp('10000.00')).toEqual({ amount: 1e10 });
});

test('less than 5 dollars, more than 10,000 and every other spelling is refused', () => {
  for (const text of ['0', '4.99', '0.01', '00', '-5', '-1000']) {
    expect([text, parseTopUp(text)]).toEqual([text, { problem: TOP_UP_TEXTS.least }]);
  }
  for (const text of ['10000.01', '10001', '999999999999']) {
    expect([text, parseTopUp(text)]).toEqual([text, { problem: TOP_UP_TEXTS.most }]);
  }
  const spellings = [
    '',
    ' 5',
    '5 ',
    '+5',
    '5.',
    '.5',
    '5.001',
    '5,00',
    '1,000',
    '1.000,00',
    '1e3',
    '1E3',
    '0x10',
    '0b101',
    '5_0',
    'NaN',
    'Infinity',
    '$5',
    '5USD',
    '\u0665',
    '\uff15',
    '5\u00a0000',
    '5\n',
    '9'.repeat(40),
    '--5',
  ];
  for (const text of spellings) {
    expect([text, parseTopUp(text)]).toEqual([text, { problem: TOP_UP_TEXTS.spelling }]);
  }
});

test('amounts are shown with the digits that make their sum true, and whole cents with two', () => {
  const amounts = [0, -0, 206, 1234.5, 0.000021, 205.999979, -0.000001, -12.34, 900_719_925.740991];
  expect(amounts.map(formatAmount)).toEqual([
    '$0.00',
    '$0.00',
    '$206.00',
    '$1,234.50',
    '$0.000021',
    '$205.999979',
    '-$0.000001',
    '-$12.34',
    '$900,719,925.740991',
  ]);
});

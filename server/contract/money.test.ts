import { describe, expect, test } from 'bun:test';
import { formatBalance, toMicroUsd, toUsd } from './money.ts';

describe('a balance is shown floored to cents', () => {
  const shown: [number, string][] = [
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
    [1234.5, '$1234.50'],
    [900_719_925.740991, '$900719925.74'],
  ];
  for (const [usd, text] of shown) {
    test(`${usd} as ${text}`, () => {
      expect(formatBalance(usd)).toBe(text);
    });
  }
});

test('every decimal of configuration is exact in micro-USD, and comes back as it was', () => {
  for (const text of ['0.03', '0.005', '0.000001', '0.1', '1.15', '999999.999999', '123456.7']) {
    const [whole = '', fraction = ''] = text.split('.');
    const micro = Number(whole + fraction.padEnd(6, '0'));
    expect(toMicroUsd(Number(text))).toBe(micro);
    expect(toUsd(micro)).toBe(Number(text));
  }
});

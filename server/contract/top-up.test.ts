import { expect, test } from 'bun:test';
import { parseTopUp, TOP_UP_TEXTS } from './top-up.ts';

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

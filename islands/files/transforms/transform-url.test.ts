import { expect, test } from 'bun:test';
import { readParameters } from '../../../server/features/delivery/transforms/parameters.ts';
import {
  CHOICES,
  NO_TRANSFORM,
  numberProblem,
  type TransformFields,
  transformUrl,
} from './transform-url.ts';

const queryOf = (fields: Partial<TransformFields>) =>
  transformUrl('u', { ...NO_TRANSFORM, ...fields });

test.each([
  [{}, null],
  [{ width: '0', quality: '0' }, null],
  [{ width: '320', quality: '500' }, null],
  [{ width: '320' }, 'u?width=320'],
  [{ width: '4096', quality: '100', format: 'webp' }, 'u?width=4096&format=webp&quality=100'],
  [
    { width: '9', height: '8', fit: 'cover', gravity: 'top' },
    'u?width=9&height=8&fit=cover&gravity=top',
  ],
  [{ width: '9', height: '8', fit: 'pad', gravity: 'top' }, 'u?width=9&height=8&fit=pad'],
  [{ fit: 'cover', gravity: 'top' }, null],
] as [Partial<TransformFields>, string | null][])('%j is %s', (fields, url) => {
  expect(queryOf(fields)).toBe(url);
});

test.each([
  ['quality', '', null],
  ['quality', '1', null],
  ['quality', '100', null],
  ['quality', '500', 'Enter 1 to 100.'],
  ['width', '0', 'Enter 1 to 4096.'],
  ['height', '4097', 'Enter 1 to 4096.'],
] as const)('a %s of %p has the problem %p', (name, text, problem) => {
  expect(numberProblem(name, text)).toBe(problem);
});

test('the server accepts every choice', () => {
  for (const [name, choices] of Object.entries(CHOICES)) {
    for (const value of Object.keys(choices)) {
      const url = queryOf({ width: '9', height: '9', fit: 'cover', [name]: value });
      expect(readParameters((url ?? '').slice(2))).not.toBeNull();
    }
  }
});

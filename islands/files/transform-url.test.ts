import { expect, test } from 'bun:test';
import { readParameters } from '../../server/features/delivery/transforms/parameters.ts';
import { CHOICES, NO_TRANSFORM, type TransformFields, transformUrl } from './transform-url.ts';

const queryOf = (fields: Partial<TransformFields>) =>
  transformUrl('u', { ...NO_TRANSFORM, ...fields });

test.each([
  [{}, null],
  [{ width: '0', quality: '0' }, null],
  [{ width: '320' }, 'u?width=320'],
  [{ width: '99999', quality: '900', format: 'webp' }, 'u?width=4096&format=webp&quality=100'],
  [
    { width: '9', height: '8', fit: 'cover', gravity: 'top' },
    'u?width=9&height=8&fit=cover&gravity=top',
  ],
  [{ width: '9', height: '8', fit: 'pad', gravity: 'top' }, 'u?width=9&height=8&fit=pad'],
  [{ fit: 'cover', gravity: 'top' }, null],
] as [Partial<TransformFields>, string | null][])('%j is %s', (fields, url) => {
  expect(queryOf(fields)).toBe(url);
});

test('the server accepts every choice', () => {
  for (const [name, choices] of Object.entries(CHOICES)) {
    for (const value of Object.keys(choices)) {
      const url = queryOf({ width: '9', height: '9', fit: 'cover', [name]: value });
      expect(readParameters((url ?? '').slice(2))).not.toBeNull();
    }
  }
});

import { expect, test } from 'bun:test';
import { errorText } from './api-error.ts';

test('the server’s own sentence is shown', () => {
  expect(errorText(' The code is wrong.\n')).toBe('The code is wrong.');
});

test.each(['', '   ', null, undefined, { a: 1 }, '<html>Bad gateway</html>', 'x'.repeat(301)])(
  'a body that is no sentence is not shown: %p',
  (body) => {
    expect(errorText(body)).toBe('An unexpected error occurred.');
  },
);

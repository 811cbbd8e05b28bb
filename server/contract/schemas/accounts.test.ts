import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { DeleteAccountBody } from './accounts.ts';

const app = new Elysia().post('/', () => 'taken', { body: DeleteAccountBody });
const statusOf = async (token: unknown) => (await app.handle(requestWith(token))).status;
const requestWith = (token: unknown) =>
  new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

// A code is sent as a number, which loses the zeros at the start of what was typed: 000000 is 0.
test.each([0, 1, 12_345, 100_000, 999_999])(
  '%p is a code that can be right or wrong',
  async (token) => {
    expect(await statusOf(token)).toBe(200);
  },
);

test.each([-1, 1_000_000, 1.5, 'x', null])('%p is no code', async (token) => {
  expect(await statusOf(token)).toBe(422);
});

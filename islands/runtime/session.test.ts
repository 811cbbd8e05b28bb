import { expect, test } from 'bun:test';
import { type Auth, isExpired, parseAuth, SIGNED_OUT, withoutSession } from './session.ts';

const auth: Auth = { access: 't', userId: 'u', exp: 1000, email: 'a@b.c', isAuth: true };

test('a stored state is read back as it was', () => {
  expect(parseAuth(JSON.stringify(auth))).toEqual(auth);
});

test.each([null, '', 'null', '[]', '"x"', '{', '{"access":5,"exp":"soon","isAuth":"yes"}'])(
  'a storage that holds %p is signed out',
  (stored) => {
    expect(parseAuth(stored)).toEqual(SIGNED_OUT);
  },
);

test('logging out clears everything but the expiry', () => {
  expect(withoutSession(auth)).toEqual({ ...SIGNED_OUT, exp: 1000 });
});

test('a token is over from the very millisecond of its expiry', () => {
  expect(isExpired(auth, 999_999)).toBe(false);
  expect(isExpired(auth, 1_000_000)).toBe(true);
  expect(isExpired(SIGNED_OUT, 1_000_000)).toBe(false);
});

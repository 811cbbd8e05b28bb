import { afterEach, expect, test } from 'bun:test';
import { auth, logout, setEmail, signIn } from './auth.ts';

afterEach(logout);

test('signing in stores the whole state', () => {
  signIn({ token: 't', userId: 'u', exp: 9, email: 'a@b.c' });
  expect({ ...auth }).toEqual({ access: 't', userId: 'u', exp: 9, email: 'a@b.c', isAuth: true });
});

test('the email alone can change', () => {
  signIn({ token: 't', userId: 'u', exp: 9, email: 'a@b.c' });
  setEmail('new@b.c');
  expect({ ...auth }).toMatchObject({ access: 't', email: 'new@b.c', isAuth: true });
});

test('logging out leaves nothing but the expiry', () => {
  signIn({ token: 't', userId: 'u', exp: 9, email: 'a@b.c' });
  logout();
  expect({ ...auth }).toEqual({ access: null, userId: null, exp: 9, email: null, isAuth: false });
});

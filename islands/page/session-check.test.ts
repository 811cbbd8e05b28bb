import { expect, test } from 'bun:test';
import { SIGNED_OUT } from '../runtime/session.ts';
import { compareSession, isNeedless } from './session-check.ts';

const NOW = 1_000_000;
const stored = { access: 't', userId: 'u', exp: 2_000, email: 'a@b.c', isAuth: true };
const compare = (auth: typeof stored | typeof SIGNED_OUT, path = '/dashboard', viewer = 'u') =>
  compareSession(viewer, path, auth, NOW);

test.each([
  ['of the same user', stored, 'same'],
  ['of another user', { ...stored, userId: 'v' }, 'other'],
  ['that lacks its token', { ...stored, access: null }, 'other'],
  ['that is none', SIGNED_OUT, 'other'],
  ['that is over', { ...stored, exp: 1_000 }, 'expired'],
  ['that was over and ended', { ...SIGNED_OUT, exp: 1_000 }, 'other'],
] as const)('a private page with a stored session %s', (_, auth, expected) => {
  expect(compare(auth)).toBe(expected);
});

test.each([
  '/dashboard',
  '/dashboard/files/b',
  '/profile',
  '/billing',
  '/billing/success',
  '/admin',
])('%s needs the session', (path) => expect(compare(SIGNED_OUT, path)).toBe('other'));

test.each(['/', '/login', '/signup', '/docs', '/dashboards', '/undo-email-change'])(
  '%s needs none, so that it never leads to the login in a circle',
  (path) => expect(compare(SIGNED_OUT, path)).toBe('unneeded'),
);

test('a page that was rendered without a user needs none', () => {
  expect(compare(SIGNED_OUT, '/dashboard', '')).toBe('unneeded');
});

test.each([
  ['the same user', '/login', 'u', stored, true],
  ['the same user', '/signup', 'u', stored, true],
  ['the same user', '/forgot-password', 'u', stored, false],
  ['the same user', '/', 'u', stored, false],
  ['nobody by the cookie', '/login', undefined, stored, false],
  ['nobody by the store', '/login', 'u', SIGNED_OUT, false],
  ['another user', '/login', 'v', stored, false],
  ['a user whose session is over', '/login', 'u', { ...stored, exp: 1_000 }, false],
] as const)('%s on %s', (_who, path, viewer, auth, expected) => {
  expect(isNeedless(viewer, path, auth, NOW)).toBe(expected);
});

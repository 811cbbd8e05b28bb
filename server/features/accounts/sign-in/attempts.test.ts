import { expect, test } from 'bun:test';
import { AppError } from '../../../errors.ts';
import { openMemoryLimits } from '../../../platform/limits/memory.ts';
import { OTHERS } from '../testing/accounts.ts';
import { SignInLimits } from './sign-in-limits.ts';

/** How many tries strangers in one network have, and the owner of an address in a known browser. */
const FROM_NETWORK = 15;
const IN_BROWSER = 30;

/** Returns a function that makes an attempt with an outcome, and returns what became of it. */
function attempts(isKnownBrowser: boolean) {
  const refused = { report: () => {} } as never;
  const locked: string[] = [];
  const onLocked = async (key: string) => {
    locked.push(key);
  };
  const limits = new SignInLimits(openMemoryLimits(), new Uint8Array(32), refused, onLocked, 1);
  const attempt = { what: 'login', emailKey: 'ada', client: OTHERS, isKnownBrowser } as never;
  const make = (run: () => Promise<string | null>) =>
    limits.limitAttempt(attempt, run).then(
      (result) => result ?? 'wrong',
      (error) => (error instanceof AppError ? error.status : 'failed'),
    );
  return {
    right: () => make(async () => 'right'),
    wrong: () => make(async () => null),
    fails: () => make(() => Promise.reject(new Error('The database is away.'))),
    locked,
  };
}

test.each([
  ['of a network', false, FROM_NETWORK],
  ['in a browser that the owner has used', true, IN_BROWSER],
])('only wrong tries %s count', async (_, isKnownBrowser, points) => {
  const { right, wrong, fails, locked } = attempts(isKnownBrowser);
  for (let n = 0; n < points; n += 1) {
    expect(await right()).toBe('right');
    expect(await fails()).toBe('failed');
    expect(await wrong()).toBe('wrong');
  }
  expect(locked).toEqual([]);
  expect(await right()).toBe(429);
  expect(await wrong()).toBe(429);
  // The owner is told once.
  expect(locked).toEqual(['ada']);
});

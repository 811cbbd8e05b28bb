import { expect, spyOn, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { describeUserOnSqlite, EMAIL } from '../testing/accounts.ts';
import { hashPassword, resetPassword, verifyPassword } from './passwords.ts';

test('a password is right for its own hash alone, and never without one', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,');
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('wrong horse', hash)).toBe(false);
  expect(await verifyPassword('correct horse', undefined)).toBe(false);
});

test('however many log in at once, hashing leaves a thread for everything else', async () => {
  const { verify } = Bun.password;
  let [now, maxConcurrent] = [0, 0];
  const spy = spyOn(Bun.password, 'verify').mockImplementation(async (password, hash) => {
    now += 1;
    maxConcurrent = Math.max(maxConcurrent, now);
    try {
      return await verify(password, hash);
    } finally {
      now -= 1;
    }
  });
  try {
    const all = await Promise.all(Array.from({ length: 20 }, () => verifyPassword('x', undefined)));
    expect(all).toEqual(Array(20).fill(false));
    expect(maxConcurrent).toBe(Math.max(1, availableParallelism() - 1));
  } finally {
    spy.mockRestore();
  }
});

describeUserOnSqlite('a password that an operator resets', (open) => {
  test('ends all sessions, which is published', async () => {
    const { database, time, session, token, accounts } = await open();
    const published: string[] = [];
    const context = {
      database,
      clock: () => time.now,
      publishSessionEnd: async (userId: string) => void published.push(userId),
    };
    expect(await resetPassword(context, 'nobody@example.com', 'another harbour')).toBe(false);
    expect(published).toEqual([]);
    expect(await resetPassword(context, EMAIL, 'another harbour')).toBe(true);
    expect(published).toEqual([session.userId]);
    expect(await accounts.session(token)).toBeNull();
  });
});

import { expect, spyOn, test } from 'bun:test';
import { availableParallelism } from 'node:os';
import { describeUserOnSqlite, EMAIL, MINE, NEW, recover } from '../testing/accounts.ts';
import { hashPassword, resetPassword, validateNewPassword, verifyPassword } from './passwords.ts';

test('a password is right for its own hash alone, and never without one', async () => {
  const hash = await hashPassword('correct horse');
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('wrong horse', hash)).toBe(false);
  expect(await verifyPassword('correct horse', undefined)).toBe(false);
});

test('a hash that fails in a moment of overload does not fail later logins', async () => {
  // A module of its own, as the hash is kept for the whole process.
  const fresh: typeof import('./passwords.ts') = await import('./passwords.ts?fresh' as string);
  const spy = spyOn(Bun.password, 'hash').mockRejectedValueOnce(new Error('overloaded'));
  await expect(fresh.verifyPassword('correct horse', undefined)).rejects.toThrow('overloaded');
  expect(await fresh.verifyPassword('correct horse', undefined)).toBe(false);
  spy.mockRestore();
});

test('passwords are hashed with the parameters that OWASP recommends', async () => {
  const spy = spyOn(Bun.password, 'hash');
  await hashPassword('correct horse');
  const parameters = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
  expect(spy).toHaveBeenCalledWith('correct horse', parameters);
  spy.mockRestore();
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

test('the commonest 100,000 passwords are refused, in any case, and so is a length out of bounds', async () => {
  const outcome = (password: string) =>
    validateNewPassword(password).then(
      () => 'accepted',
      ({ code }) => code,
    );
  const cases: Record<string, string> = {
    password: 'common-password',
    PassWord1: 'common-password',
    '1qaz2wsx3edc': 'common-password',
    // The last of the list with eight characters or more.
    '07021954': 'common-password',
    'a harbour at work': 'accepted',
    ['x'.repeat(200)]: 'accepted',
    short: 'invalid',
    ['x'.repeat(201)]: 'invalid',
  };
  for (const [password, expected] of Object.entries(cases)) {
    expect([password, await outcome(password)]).toEqual([password, expected]);
  }
});

describeUserOnSqlite('a common password', (open) => {
  test('is refused at the signup, a change, a recovery and a reset, which can all go on', async () => {
    const world = await open();
    const { accounts, database, time, sessionOf, lastCode, mails } = world;
    const password = 'password1';
    const refused = { status: 422, code: 'common-password' };
    const sent = mails.length;
    const signup = accounts.signIn.requestSignup({ email: NEW, password }, MINE);
    await expect(signup).rejects.toMatchObject(refused);
    expect(mails.length).toBe(sent);

    await accounts.profile.requestCode(world.session, 'change-password', MINE);
    const change = { password, code: lastCode() };
    await expect(
      accounts.profile.changePassword(world.session, change, MINE),
    ).rejects.toMatchObject(refused);
    const better = { ...change, password: 'another harbour' };
    await accounts.profile.changePassword(world.session, better, MINE);

    await recover(world);
    const { token } = await accounts.signIn.verify({ email: EMAIL, code: lastCode() }, MINE);
    const recovered = await sessionOf(token);
    const form = { password, code: undefined };
    await expect(accounts.profile.changePassword(recovered, form, MINE)).rejects.toMatchObject(
      refused,
    );
    const good = { password: 'a third harbour', code: undefined };
    await accounts.profile.changePassword(recovered, good, MINE);

    const context = { database, clock: () => time.now, publishSessionEnd: async () => {} };
    await expect(resetPassword(context, EMAIL, password)).rejects.toMatchObject(refused);
  });
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

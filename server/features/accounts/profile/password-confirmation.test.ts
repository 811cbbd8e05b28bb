import { expect, test } from 'bun:test';
import { MINUTE } from '../../../contract/limits.ts';
import { client, describeUser, MINE, OTHERS, PASSWORD, STOLEN } from '../testing/accounts.ts';
import { isPasswordConfirmed } from './password-confirmation.ts';

test('a password counts as confirmed for ten minutes', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  const confirmed = [0, 9.99, 10, 11].map((minutes) =>
    isPasswordConfirmed({ passwordConfirmedAt: now - minutes * MINUTE }, now),
  );
  expect(confirmed).toEqual([true, true, false, false]);
});

await describeUser('the password of a session', (open) => {
  test('is asked for ten minutes after the login, and again ten minutes after it was entered', async () => {
    const { accounts, time, token, sessionOf } = await open();
    expect(accounts.password.isConfirmed(await sessionOf(token))).toBe(true);
    time.now += 10 * MINUTE;
    const stale = await sessionOf(token);
    expect(() => accounts.password.require(stale)).toThrow(
      expect.objectContaining({ status: 403, code: 'password-required' }),
    );
    await expect(accounts.password.confirm(stale, STOLEN, MINE)).rejects.toMatchObject({
      status: 422,
      code: 'wrong-password',
    });
    expect(accounts.password.isConfirmed(await sessionOf(token))).toBe(false);
    await accounts.password.confirm(stale, PASSWORD, MINE);
    expect(accounts.password.isConfirmed(await sessionOf(token))).toBe(true);
    time.now += 10 * MINUTE;
    expect(accounts.password.isConfirmed(await sessionOf(token))).toBe(false);
  });

  test('is confirmed for this session only', async () => {
    const { accounts, time, token, sessionOf, ...world } = await open();
    await accounts.signIn.requestLogin({ email: 'ada@example.com', password: PASSWORD }, MINE);
    const form = { email: 'ada@example.com', password: PASSWORD, code: world.lastCode() };
    const other = await accounts.signIn.login(form, MINE);
    time.now += 10 * MINUTE;
    await accounts.password.confirm(await sessionOf(token), PASSWORD, MINE);
    expect(accounts.password.isConfirmed(await sessionOf(other.token))).toBe(false);
  });

  test('has the attempts of the login: a thief’s guesses are fifteen from a network, for both', async () => {
    const { accounts, session } = await open();
    const outcomes: number[] = [];
    for (let n = 0; n < 16; n += 1) {
      const thief = client(`thief-${n}`, '198.51.100.9');
      const guess =
        n % 2 === 0
          ? accounts.password.confirm(session, `guess ${n}`, thief)
          : accounts.signIn.requestLogin({ email: session.email, password: `guess ${n}` }, thief);
      await guess.catch(({ status }) => outcomes.push(status));
    }
    expect(outcomes).toEqual([
      ...Array.from({ length: 15 }, (_, n) => (n % 2 === 0 ? 422 : 401)),
      429,
    ]);
    await accounts.password.confirm(session, PASSWORD, MINE);
    await expect(accounts.password.confirm(session, STOLEN, OTHERS)).rejects.toMatchObject({
      status: 422,
    });
  });
});

import { expect, test } from 'bun:test';
import type { Client } from '../client.ts';
import {
  client,
  describeUserOnSqlite,
  EMAIL,
  logIn,
  MINE,
  NEW,
  OTHERS,
  PASSWORD,
  recover,
} from '../testing/accounts.ts';
import { recognizeClient } from './sign-in-limits.ts';

// Tries are counted in memory here; platform/limits has its own tests on PostgreSQL.
describeUserOnSqlite('limits of accounts', (open) => {
  test('know a browser by the previous secret too', async () => {
    const { database, session } = await open();
    const known = async (browser: Client) =>
      (await recognizeClient(database.db, session.emailKey, browser)).isKnownBrowser;
    const rotated = client('my-browser-by-the-new-secret');
    expect(await known(rotated)).toBe(false);
    expect(await known({ ...rotated, previousBrowser: MINE.browser })).toBe(true);
  });

  test('strangers’ wrong tries run into their limit and leave the owner’s browser alone', async () => {
    const world = await open();
    const { accounts } = world;
    let refused = 0;
    for (let n = 0; n < 70; n += 1) {
      const stranger = client(`stranger-${n}`, `198.51.100.${n % 30}`);
      const tried = accounts.signIn.requestLogin(
        { email: EMAIL, password: `guess ${n}` },
        stranger,
      );
      await tried.catch((error) => {
        if (error.status === 429) refused += 1;
      });
    }
    expect(refused).toBe(10);
    const unknown = client('another-stranger', '203.0.113.77');
    await expect(
      accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, unknown),
    ).rejects.toThrow(/Try again in \d+ hours/);
    expect((await logIn(world, PASSWORD)).email).toBe(EMAIL);
  });

  test('from one network fifteen wrong tries are the end of it, whatever the browser', async () => {
    const world = await open();
    const tries = [];
    for (let n = 0; n < 17; n += 1) {
      const stranger = client(`stranger-${n}`, '198.51.100.9');
      tries.push(
        await world.accounts.signIn
          .requestLogin({ email: EMAIL, password: 'x' }, stranger)
          .catch((error) => error.status),
      );
    }
    expect(tries).toEqual([...Array(15).fill(401), 429, 429]);
  });

  test('a network requests twenty sign-ups a day, for addresses with an account or without', async () => {
    const { accounts } = await open();
    const request = (n: number, email: string, address: string) =>
      accounts.signIn
        .requestSignup({ email, password: PASSWORD }, client(`visitor-${n}`, address))
        .catch((error) => error.status);
    const outcomes = [];
    for (let n = 0; n < 20; n += 1) {
      outcomes.push(await request(n, `visitor-${n}@example.com`, '198.51.100.9'));
    }
    expect(outcomes).toEqual(Array(20).fill(undefined));
    expect(await request(20, 'visitor-20@example.com', '198.51.100.9')).toBe(429);
    expect(await request(21, EMAIL, '198.51.100.9')).toBe(429);
    expect(await request(22, 'visitor-20@example.com', '198.51.100.10')).toBeUndefined();
  });

  test('five mails an hour go to an address, known or not, and the owner’s browser has its own', async () => {
    const world = await open();
    for (const email of [EMAIL, 'nobody@example.com']) {
      const outcomes = [];
      for (let n = 0; n < 6; n += 1) {
        const stranger = client(`stranger-${n}`, `198.51.100.${n}`);
        outcomes.push(
          await world.accounts.signIn.resendCode({ email, purpose: 'recovery' }, stranger).then(
            () => 204,
            (error) => error.status,
          ),
        );
      }
      expect(outcomes.slice(-2)).toEqual(email === EMAIL ? [429, 429] : [204, 429]);
    }
    await recover(world);
    expect(
      (await world.accounts.signIn.verify({ email: EMAIL, code: world.lastCode() }, MINE)).email,
    ).toBe(EMAIL);
  });

  test('strangers who use up the mails of an address leave its owner’s confirmations alone', async () => {
    const world = await open();
    const { accounts, session, lastCode } = world;
    for (let n = 0; n < 6; n += 1) {
      const stranger = client(`stranger-${n}`, `198.51.100.${n}`);
      await recover(world, stranger).catch(() => {});
    }
    await accounts.profile.requestCode(session, 'change-password', MINE);
    await accounts.profile.changePassword(
      session,
      { password: 'new password', code: lastCode() },
      MINE,
    );
    // A thief of the session, in a browser of their own, is a stranger.
    await expect(accounts.profile.requestCode(session, 'delete-account', OTHERS)).rejects.toThrow(
      'attempts',
    );
  });

  test('who has stolen a session guesses no code from many browsers, and the owner goes on', async () => {
    const world = await open();
    const { accounts, session, lastCode } = world;
    const tries = [];
    for (let n = 0; n < 17; n += 1) {
      const thief = client(`thief-${n}`, '198.51.100.9');
      tries.push(
        await accounts.profile.deleteAccount(session, 900_000, thief).catch(({ status }) => status),
      );
    }
    expect(tries).toEqual([...Array(15).fill(422), 429, 429]);
    await accounts.profile.requestCode(session, 'delete-account', MINE);
    await accounts.profile.deleteAccount(session, lastCode(), MINE);
  });

  test('nobody writes to a stranger more often by saying that their own account moves there', async () => {
    const { accounts, session } = await open();
    const outcomes = [];
    for (let n = 0; n < 6; n += 1) {
      outcomes.push(
        await accounts.emailChange.requestEmailChange(session, NEW, MINE).then(
          () => 204,
          (error) => error.status,
        ),
      );
    }
    expect(outcomes).toEqual([204, 204, 204, 204, 204, 429]);
  });
});

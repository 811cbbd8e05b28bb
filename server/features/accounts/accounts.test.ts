import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY, MINUTE } from '../../contract/limits.ts';
import {
  EMAIL,
  MINE,
  NO_MAIL,
  OTHERS,
  openAccounts as open,
  PASSWORD,
} from './testing/accounts.ts';

const login = { email: EMAIL, password: PASSWORD };

await describeEachEngine('accounts', (openDatabase) => {
  test('a code from the mail makes the account and a session', async () => {
    const { accounts, signUp } = await open(openDatabase);
    const session = await signUp();
    expect(session.email).toBe(EMAIL);
    expect(await accounts.session(session.token)).toMatchObject({
      userId: session.userId,
      email: EMAIL,
      isAdmin: true,
    });
  });

  test('nothing is reserved before the code: two may sign up with one address, the first code wins', async () => {
    const { accounts, database, lastCode } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const mine = lastCode();
    await accounts.signIn.requestSignup({ email: EMAIL, password: 'another one' }, OTHERS);
    const others = lastCode();
    expect(await database.db.selectFrom('users').selectAll().execute()).toEqual([]);
    await accounts.signIn.verify({ email: EMAIL, code: mine }, MINE);
    await expect(accounts.signIn.verify({ email: EMAIL, code: others }, OTHERS)).rejects.toThrow(
      'code',
    );
    expect(await database.db.selectFrom('users').selectAll().execute()).toHaveLength(1);
  });

  test('a code is good in the browser that asked for it, once, and nowhere else', async () => {
    const { accounts, lastCode } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const code = lastCode();
    await expect(accounts.signIn.verify({ email: EMAIL, code }, OTHERS)).rejects.toThrow('code');
    await accounts.signIn.verify({ email: EMAIL, code }, MINE);
    await expect(accounts.signIn.verify({ email: EMAIL, code }, MINE)).rejects.toThrow('code');
  });

  test('two right answers at once make one session', async () => {
    const { accounts, lastCode, signUp } = await open(openDatabase);
    await signUp();
    await accounts.signIn.requestLogin(login, MINE);
    const code = lastCode();
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => accounts.signIn.login({ ...login, code }, MINE)),
    );
    expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  });

  test('a code dies after five wrong tries, even when they come at once', async () => {
    const { accounts, lastCode } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const code = lastCode();
    const wrong = Array.from({ length: 5 }, (_, n) => 900_000 + n);
    await Promise.allSettled(
      wrong.map((one) => accounts.signIn.verify({ email: EMAIL, code: one }, MINE)),
    );
    await expect(accounts.signIn.verify({ email: EMAIL, code }, MINE)).rejects.toThrow('code');
  });

  test('four wrong tries leave the right code good', async () => {
    const { accounts, lastCode } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const code = lastCode();
    for (let n = 0; n < 4; n += 1) {
      await expect(accounts.signIn.verify({ email: EMAIL, code: 900_000 }, MINE)).rejects.toThrow(
        'code',
      );
    }
    expect((await accounts.signIn.verify({ email: EMAIL, code }, MINE)).email).toBe(EMAIL);
  });

  test('a code is good until ten minutes are over', async () => {
    const { accounts, lastCode, time } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    time.now += 10 * MINUTE - 1;
    expect((await accounts.signIn.verify({ email: EMAIL, code: lastCode() }, MINE)).email).toBe(
      EMAIL,
    );
  });

  test('a code dies after ten minutes, and when a new one is sent', async () => {
    const { accounts, lastCode, time } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const first = lastCode();
    await accounts.signIn.resendCode({ email: EMAIL, purpose: 'signup' }, MINE);
    const second = lastCode();
    expect(second).not.toBe(first);
    await expect(accounts.signIn.verify({ email: EMAIL, code: first }, MINE)).rejects.toThrow(
      'code',
    );
    time.now += 10 * MINUTE;
    await expect(accounts.signIn.verify({ email: EMAIL, code: second }, MINE)).rejects.toThrow(
      'code',
    );
  });

  test('a resend needs an open challenge of the same browser, and answers alike without one', async () => {
    const { accounts, mails, time } = await open(openDatabase);
    await accounts.signIn.resendCode({ email: EMAIL, purpose: 'signup' }, MINE);
    await accounts.signIn.requestSignup(login, MINE);
    await accounts.signIn.resendCode({ email: EMAIL, purpose: 'signup' }, OTHERS);
    await accounts.signIn.resendCode({ email: EMAIL, purpose: 'login' }, MINE);
    const sentMails = () => mails.filter((mail) => mail !== NO_MAIL);
    expect(mails).toHaveLength(4);
    expect(sentMails()).toHaveLength(1);
    time.now += DAY;
    await accounts.signIn.resendCode({ email: EMAIL, purpose: 'signup' }, MINE);
    expect(sentMails()).toHaveLength(1);
  });

  test('signing up with an address that has an account mails its owner and opens nothing', async () => {
    const { accounts, mails, signUp } = await open(openDatabase);
    await signUp();
    await accounts.signIn.requestSignup(
      { email: 'ADA@example.com', password: 'stolen one' },
      OTHERS,
    );
    expect(mails.at(-1)?.subject).toBe('You already have a Wharf account');
    expect(mails.at(-1)?.text).not.toMatch(/\d{6}/);
    for (let code = 100_000; code < 100_003; code += 1) {
      await expect(accounts.signIn.verify({ email: EMAIL, code }, OTHERS)).rejects.toThrow('code');
    }
    await expect(
      accounts.signIn.requestLogin({ email: EMAIL, password: 'stolen one' }, OTHERS),
    ).rejects.toThrow('Incorrect email or password');
  });

  test('logging in takes the password, then the code; a signup code is none', async () => {
    const { accounts, lastCode, signUp } = await open(openDatabase);
    await signUp();
    const signupCode = lastCode();
    await expect(
      accounts.signIn.requestLogin({ ...login, password: 'wrong horse' }, MINE),
    ).rejects.toThrow('Incorrect email or password');
    await expect(
      accounts.signIn.requestLogin({ ...login, email: 'nobody@example.com' }, MINE),
    ).rejects.toThrow('Incorrect email or password');
    await expect(accounts.signIn.login({ ...login, code: signupCode }, MINE)).rejects.toThrow(
      'code',
    );
    await accounts.signIn.requestLogin(login, MINE);
    const code = lastCode();
    await expect(
      accounts.signIn.login({ ...login, password: 'wrong horse', code }, MINE),
    ).rejects.toThrow('Incorrect email or password');
    await expect(accounts.signIn.verify({ email: EMAIL, code }, MINE)).rejects.toThrow('code');
    expect((await accounts.signIn.login({ ...login, code }, MINE)).email).toBe(EMAIL);
  });

  test('a password that is changed while somebody logs in with the old one lets nobody in', async () => {
    let inBetween = async () => {};
    const { accounts, lastCode, signUp, sessionOf } = await open(async () => {
      const database = await openDatabase();
      const { transaction } = database;
      // Not a copy: openAccounts() replaces `close`, which is called on this object.
      database.transaction = async (work) => {
        const act = inBetween;
        inBetween = async () => {};
        await act();
        return transaction(work);
      };
      return database;
    });
    const session = await sessionOf((await signUp()).token);
    await accounts.signIn.requestLogin(login, OTHERS);
    const code = lastCode();
    await accounts.profile.requestCode(session, 'change-password', MINE);
    const form = { password: 'new password', code: lastCode() };
    inBetween = () => accounts.profile.changePassword(session, form, MINE);
    await expect(accounts.signIn.login({ ...login, code }, OTHERS)).rejects.toThrow('code');
    expect(await accounts.profile.listSessions(session)).toHaveLength(1);
  });

  test('a session ends by logout, by time, and never by a token that is not its own', async () => {
    const { accounts, signUp, time } = await open(openDatabase);
    const session = await signUp();
    const [head, body] = session.token.split('.');
    for (const forged of [
      '',
      'x',
      `${head}.${body}.`,
      `${head}.${body}.AAAA`,
      noneToken(session.token),
    ]) {
      expect(await accounts.session(forged)).toBeNull();
      await accounts.logout(forged);
    }
    expect(await accounts.session(session.token)).not.toBeNull();
    const start = time.now;
    time.now += 30 * DAY;
    expect(await accounts.session(session.token)).toBeNull();
    time.now = start;
    await accounts.logout(session.token);
    expect(await accounts.session(session.token)).toBeNull();
  });

  test('a session that is used now and then is good for 30 days', async () => {
    const { accounts, signUp, time } = await open(openDatabase);
    const session = await signUp();
    time.now += 14 * DAY - 1;
    expect(await accounts.session(session.token)).not.toBeNull();
    time.now += 14 * DAY - 1;
    const used = await accounts.session(session.token);
    expect(used && (await accounts.profile.listSessions(used))).toHaveLength(1);
  });

  test('a session that nobody has used for 14 days is over', async () => {
    const { accounts, signUp, time } = await open(openDatabase);
    const session = await signUp();
    time.now += 14 * DAY;
    expect(await accounts.session(session.token)).toBeNull();
  });

  test('what is not one plain address is refused before any mail', async () => {
    const { accounts, mails } = await open(openDatabase);
    for (const email of [
      '',
      'ada',
      'a@b@c',
      'ada@example.com\r\nBcc: x@y.z',
      'Ada <ada@example.com>',
      'a@x.com,b@y.com',
    ]) {
      await expect(
        accounts.signIn.requestSignup({ email, password: PASSWORD }, MINE),
      ).rejects.toThrow('address');
    }
    expect(mails).toEqual([]);
  });

  test('neither codes nor passwords stand in the database in the clear', async () => {
    const { accounts, database, lastCode } = await open(openDatabase);
    await accounts.signIn.requestSignup(login, MINE);
    const rows = JSON.stringify([
      await database.db.selectFrom('challenges').selectAll().execute(),
      await database.db.selectFrom('jobs').selectAll().execute(),
    ]);
    expect(rows).toContain('sealed');
    expect(rows).not.toContain(PASSWORD);
    expect(rows).not.toContain(String(lastCode()));
  });

  test('what has been over for a day is forgotten, what is live stays', async () => {
    const { accounts, database, signUp, time } = await open(openDatabase);
    const session = await signUp();
    time.now += 3 * DAY;
    await accounts.forgetExpired();
    expect(await database.db.selectFrom('challenges').selectAll().execute()).toEqual([]);
    expect(await accounts.session(session.token)).not.toBeNull();
  });

  test('changes of address and known browsers are forgotten when they have no effect any more', async () => {
    const { accounts, database, signUp, time } = await open(openDatabase);
    const { userId } = await signUp();
    const browsers = () => database.db.selectFrom('known_browsers').selectAll().execute();
    const changes = () => database.db.selectFrom('email_changes').selectAll().execute();
    const change = { id: 'c', user_id: userId, old_email: 'a', old_key: 'a', undo_mac: 'm' };
    await database.db
      .insertInto('email_changes')
      .values({ ...change, created_at: time.now, expires_at: time.now + 3 * DAY, closed_at: null })
      .execute();
    time.now += 3 * DAY;
    await accounts.forgetExpired();
    expect([(await changes()).length, (await browsers()).length]).toEqual([1, 1]);
    time.now += 2 * DAY;
    await accounts.forgetExpired();
    expect([(await changes()).length, (await browsers()).length]).toEqual([0, 1]);
    time.now += 180 * DAY;
    await accounts.forgetExpired();
    expect(await browsers()).toEqual([]);
  });
});

/** The same claims with `alg: none`. */
function noneToken(token: string) {
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}

import { expect, spyOn, test } from 'bun:test';
import { MINUTE } from '../../../contract/limits.ts';
import {
  describeUser,
  EMAIL,
  logIn,
  MINE,
  NEW,
  OTHERS,
  openAccounts,
  PASSWORD,
  recover,
  STOLEN,
} from '../testing/accounts.ts';

/** The tables of an account, but for its own row. */
const TABLES = [
  ...(['sessions', 'challenges', 'known_browsers', 'trusted_browsers'] as const),
  'email_changes',
] as const;

await describeUser('recovery and profile', (open, openDatabase) => {
  test('a recovery ends the other sessions and lets the password be set without another code, once', async () => {
    const world = await open();
    const { accounts, lastCode, token } = world;
    await recover(world, OTHERS);
    const recovered = await accounts.signIn.verify({ email: EMAIL, code: lastCode() }, OTHERS);
    expect(await accounts.session(token)).toBeNull();
    const session = await world.sessionOf(recovered.token);
    await accounts.profile.changePassword(
      session,
      { password: 'new password', code: undefined },
      OTHERS,
    );
    const spent = await world.sessionOf(recovered.token);
    await expect(
      accounts.profile.changePassword(spent, { password: 'another one', code: undefined }, OTHERS),
    ).rejects.toThrow('code');
    expect((await logIn(world, 'new password')).email).toBe(EMAIL);
    await expect(logIn(world, PASSWORD)).rejects.toThrow('Incorrect email or password');
  });

  test('ten minutes after a recovery the password needs a code again', async () => {
    const world = await open();
    await recover(world);
    const { token } = await world.accounts.signIn.verify(
      { email: EMAIL, code: world.lastCode() },
      MINE,
    );
    const session = await world.sessionOf(token);
    world.time.now += 10 * MINUTE;
    const change = world.accounts.profile.changePassword(
      session,
      { password: 'new password', code: undefined },
      MINE,
    );
    await expect(change).rejects.toThrow('code');
  });

  test('a recovery code opens no login, a login code no recovery', async () => {
    const world = await open();
    const { accounts, lastCode } = world;
    await recover(world);
    const recovery = lastCode();
    await expect(
      accounts.signIn.login({ email: EMAIL, password: PASSWORD, code: recovery }, MINE),
    ).rejects.toThrow('code');
    await accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, MINE);
    await expect(accounts.signIn.verify({ email: EMAIL, code: lastCode() }, MINE)).rejects.toThrow(
      'code',
    );
  });

  test('a recovery for an address without an account looks alike, tells its owner so and opens nothing', async () => {
    const world = await open();
    const { accounts, mails } = world;
    const before = mails.length;
    await accounts.signIn.resendCode({ email: 'nobody@example.com', purpose: 'recovery' }, MINE);
    expect(mails.slice(before)).toEqual([
      expect.objectContaining({ subject: 'No Wharf account uses this address' }),
    ]);
    expect(mails.at(-1)?.text).not.toMatch(/\d{6}/);
    for (let code = 100_000; code < 100_003; code += 1) {
      await expect(
        accounts.signIn.verify({ email: 'nobody@example.com', code }, MINE),
      ).rejects.toThrow('code');
    }
  });

  test('who asks for recovery with a stranger’s address gets nowhere, and does not get its owner to confirm anything', async () => {
    const world = await open();
    const { accounts, lastCode, token } = world;
    await recover(world, OTHERS);
    const mailed = lastCode();
    // The owner, who sees the mail, types the code into their own browser: it opens nothing there.
    await expect(accounts.signIn.verify({ email: EMAIL, code: mailed }, MINE)).rejects.toThrow(
      'code',
    );
    expect(await accounts.session(token)).not.toBeNull();
    await accounts.signIn.requestSignup({ email: EMAIL, password: STOLEN }, OTHERS);
    await expect(logIn(world, STOLEN, OTHERS)).rejects.toThrow('Incorrect email or password');
    expect((await logIn(world, PASSWORD)).email).toBe(EMAIL);
  });

  test('a signup with a stranger’s free address can not be finished by its owner’s own signup', async () => {
    const { accounts, mails } = await openAccounts(openDatabase, { adminEmail: null });
    const codeOf = (n: number) => Number(mails.at(n)?.text.match(/\d{6}/)?.[0]);
    await accounts.signIn.requestSignup({ email: NEW, password: STOLEN }, OTHERS);
    await accounts.signIn.requestSignup({ email: NEW, password: 'my own password' }, MINE);
    await expect(accounts.signIn.verify({ email: NEW, code: codeOf(0) }, MINE)).rejects.toThrow(
      'code',
    );
    await accounts.signIn.verify({ email: NEW, code: codeOf(1) }, MINE);
    await expect(
      accounts.signIn.requestLogin({ email: NEW, password: STOLEN }, OTHERS),
    ).rejects.toThrow('Incorrect email or password');
  });

  test('a session that has ended meanwhile sets no password, recovery or not', async () => {
    const world = await open();
    await recover(world);
    const { token } = await world.accounts.signIn.verify(
      { email: EMAIL, code: world.lastCode() },
      MINE,
    );
    const recovered = await world.sessionOf(token);
    await world.accounts.profile.requestCode(recovered, 'change-password', MINE);
    const code = world.lastCode();
    const { hash } = Bun.password;
    const spy = spyOn(Bun.password, 'hash').mockImplementationOnce(async (password) => {
      await world.accounts.logout(token);
      return hash(password);
    });
    try {
      for (const form of [
        { password: STOLEN, code: undefined },
        { password: STOLEN, code },
      ]) {
        await expect(world.accounts.profile.changePassword(recovered, form, MINE)).rejects.toThrow(
          'code',
        );
      }
    } finally {
      spy.mockRestore();
    }
    await expect(logIn(world, STOLEN)).rejects.toThrow('Incorrect email or password');
  });

  test('a code is the session’s that asked: not another user’s in the same browser, not another purpose’s', async () => {
    const world = await open();
    const { accounts, session, lastCode } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: PASSWORD }, MINE);
    const other = await world.sessionOf(
      (await accounts.signIn.verify({ email: NEW, code: lastCode() }, MINE)).token,
    );
    await accounts.profile.requestCode(session, 'delete-account', MINE);
    const code = lastCode();
    await expect(accounts.profile.deleteAccount(other, code, MINE)).rejects.toThrow('code');
    await expect(
      accounts.profile.changePassword(session, { password: STOLEN, code }, MINE),
    ).rejects.toThrow('code');
    await expect(accounts.profile.deleteAccount(session, code, OTHERS)).rejects.toThrow('code');
    await accounts.profile.deleteAccount(session, code, MINE);
  });

  test('changing the password takes its code and ends the other sessions', async () => {
    const world = await open();
    const { accounts, session, lastCode, token } = world;
    const other = await logIn(world, PASSWORD, OTHERS);
    await accounts.profile.requestCode(session, 'change-password', MINE);
    await accounts.profile.changePassword(
      session,
      { password: 'new password', code: lastCode() },
      MINE,
    );
    expect(await accounts.session(other.token)).toBeNull();
    expect(await accounts.session(token)).not.toBeNull();
    await expect(logIn(world, PASSWORD)).rejects.toThrow('Incorrect email or password');
  });

  test('a deleted account is out at once, and its job removes what it owned and then the row', async () => {
    const world = await open();
    const { accounts, session, database, lastCode, token, wiped } = world;
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    await accounts.profile.requestCode(session, 'delete-account', MINE);
    const code = lastCode();
    await accounts.profile.deleteAccount(session, code, MINE);
    expect(await accounts.session(token)).toBeNull();
    await expect(
      accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, MINE),
    ).rejects.toThrow('Incorrect email or password');
    const users = () => database.db.selectFrom('users').selectAll().execute();
    while ((await users()).length > 0) await Bun.sleep(10);
    expect(wiped).toEqual([session.userId]);
    expect(await users()).toEqual([]);
    for (const table of TABLES) {
      expect(await database.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  test('a deletion that is cut off half-way goes on and ends', async () => {
    const world = await open();
    const { accounts, session, database, lastCode, wiped, breakWipes } = world;
    breakWipes(1);
    await accounts.profile.requestCode(session, 'delete-account', MINE);
    await accounts.profile.deleteAccount(session, lastCode(), MINE);
    const users = () => database.db.selectFrom('users').selectAll().execute();
    while ((await users()).length > 0) {
      world.time.now += 100;
      world.queue.poll();
      await Bun.sleep(10);
    }
    expect(wiped).toEqual([session.userId, session.userId]);
    expect(await users()).toEqual([]);
  });

  test('sessions are listed with device and address, and ended one by one or all but this', async () => {
    const world = await open();
    const { accounts, session } = world;
    await logIn(world, PASSWORD, OTHERS);
    await logIn(world, PASSWORD, OTHERS);
    const sessions = await accounts.profile.listSessions(session);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter((one) => one.current)).toEqual([
      expect.objectContaining({
        id: session.sessionId,
        device: 'Firefox on Linux',
        address: '192.0.2.1',
      }),
    ]);
    const [other] = sessions.filter((one) => !one.current);
    await accounts.profile.endSession(session, other?.id ?? '');
    await expect(accounts.profile.endSession(session, other?.id ?? '')).rejects.toThrow(
      'not found',
    );
    await expect(accounts.profile.endSession(session, '0'.repeat(26))).rejects.toThrow('not found');
    await accounts.profile.endOtherSessions(session);
    expect(await accounts.profile.listSessions(session)).toHaveLength(1);
  });

  test('nobody ends the session of another user', async () => {
    const world = await open();
    const { accounts, session, lastCode } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: PASSWORD }, OTHERS);
    const stranger = await world.sessionOf(
      (await accounts.signIn.verify({ email: NEW, code: lastCode() }, OTHERS)).token,
    );
    await expect(accounts.profile.endSession(stranger, session.sessionId)).rejects.toThrow(
      'not found',
    );
  });

  test('the admin’s account keeps its address and can not be deleted', async () => {
    const world = await openAccounts(openDatabase, { adminEmail: 'ADA@example.com' });
    const session = await world.sessionOf((await world.signUp()).token);
    expect(session.isAdmin).toBe(true);
    await expect(world.accounts.emailChange.requestEmailChange(session, NEW, MINE)).rejects.toThrow(
      'admin',
    );
    await expect(
      world.accounts.profile.requestCode(session, 'delete-account', MINE),
    ).rejects.toThrow('admin');
    await expect(world.accounts.profile.deleteAccount(session, 123_456, MINE)).rejects.toThrow(
      'admin',
    );
    await expect(
      world.accounts.emailChange.changeEmail(session, { email: NEW, code: 123_456 }, MINE),
    ).rejects.toThrow('admin');
  });
});

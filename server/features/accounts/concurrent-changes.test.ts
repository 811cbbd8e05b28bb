import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import {
  ADMIN,
  EMAIL,
  logIn,
  MINE,
  NEW,
  OTHERS,
  openUser,
  PASSWORD,
  recover,
} from './testing/accounts.ts';

const THIRD = 'ada@third.example';
const CHANGED = 'another password';

await describeEachEngine('two changes of one account at once', (openDatabase) => {
  async function open() {
    const world = await openUser(openDatabase);
    const { accounts, database, session, mails, lastCode } = world;
    const { overlap } = database;
    /** Moves the account to another address. Returns the session afterwards, and the token that undoes it. */
    const moveTo = async (email: string) => {
      await accounts.emailChange.requestEmailChange(session, email, MINE);
      await accounts.emailChange.changeEmail(session, { email, code: lastCode() }, MINE);
      const undo = mails.at(-1)?.text.match(/token=([\w-]+)/)?.[1] ?? '';
      return { undo, moved: await world.sessionOf(world.token) };
    };
    const openSessions = async () =>
      (
        await database.db
          .selectFrom('sessions')
          .selectAll()
          .where('revoked_at', 'is', null)
          .execute()
      ).length;
    const addressOf = () => accounts.addressOf(database.db, session.userId);
    return { ...world, overlap, moveTo, openSessions, addressOf };
  }

  test('a session that starts while the password is changed ends with the others', async () => {
    const world = await open();
    const { accounts, session, lastCode, overlap, openSessions } = world;
    await accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, OTHERS);
    const loginCode = lastCode();
    await accounts.profile.requestCode(session, 'change-password', MINE);
    const changeCode = lastCode();
    const [login, change] = await overlap(
      () => accounts.signIn.login({ email: EMAIL, password: PASSWORD, code: loginCode }, OTHERS),
      () => accounts.profile.changePassword(session, { password: CHANGED, code: changeCode }, MINE),
    );
    expect([login.status, change.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await openSessions()).toBe(1);
  });

  test('a login with a password that is being changed is refused', async () => {
    const { accounts, session, lastCode, overlap, openSessions } = await open();
    await accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, OTHERS);
    const loginCode = lastCode();
    await accounts.profile.requestCode(session, 'change-password', MINE);
    const changeCode = lastCode();
    const [, login] = await overlap(
      () => accounts.profile.changePassword(session, { password: CHANGED, code: changeCode }, MINE),
      () => accounts.signIn.login({ email: EMAIL, password: PASSWORD, code: loginCode }, OTHERS),
    );
    expect(login).toMatchObject({ status: 'rejected', reason: { code: 'wrong-code' } });
    expect(await openSessions()).toBe(1);
  });

  test.each(['login', 'recovery'] as const)(
    'a session that a %s starts while the account is banned does not come back with the account',
    async (kind) => {
      const world = await open();
      const { accounts, session, lastCode, overlap, openSessions } = world;
      const start = async () => {
        if (kind === 'recovery') {
          await recover(world, OTHERS);
          const code = lastCode();
          return () => accounts.signIn.verify({ email: EMAIL, code }, OTHERS);
        }
        await accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, OTHERS);
        const code = lastCode();
        return () => accounts.signIn.login({ email: EMAIL, password: PASSWORD, code }, OTHERS);
      };
      const [started] = await overlap(await start(), () =>
        accounts.moderation.banUser(ADMIN, session.userId),
      );
      expect(started.status).toBe('fulfilled');
      await accounts.moderation.unbanUser(ADMIN, session.userId);
      expect(await openSessions()).toBe(0);
    },
  );

  test('a change of address that meets the undoing of an earlier one is refused', async () => {
    const { accounts, lastCode, overlap, moveTo, openSessions, addressOf } = await open();
    const { undo, moved } = await moveTo(NEW);
    await accounts.emailChange.requestEmailChange(moved, THIRD, MINE);
    const code = lastCode();
    const [, change] = await overlap(
      () => accounts.emailChange.undoEmailChange(undo),
      () => accounts.emailChange.changeEmail(moved, { email: THIRD, code }, MINE),
    );
    expect(change).toMatchObject({ status: 'rejected', reason: { code: 'wrong-code' } });
    expect([await addressOf(), await openSessions()]).toEqual([EMAIL, 0]);
  });

  test('undoing a change also closes the one that comes at the same time', async () => {
    const { accounts, mails, lastCode, overlap, moveTo, openSessions, addressOf } = await open();
    const { undo, moved } = await moveTo(NEW);
    await accounts.emailChange.requestEmailChange(moved, THIRD, MINE);
    const code = lastCode();
    await overlap(
      () => accounts.emailChange.changeEmail(moved, { email: THIRD, code }, MINE),
      () => accounts.emailChange.undoEmailChange(undo),
    );
    expect([await addressOf(), await openSessions()]).toEqual([EMAIL, 0]);
    const later = mails.at(-1)?.text.match(/token=([\w-]+)/)?.[1] ?? '';
    expect(later).not.toBe(undo);
    await expect(accounts.emailChange.undoEmailChange(later)).rejects.toThrow('link');
  });

  test.each(['login', 'recovery'] as const)(
    'a %s with an address that the account loses meanwhile is refused',
    async (kind) => {
      const world = await open();
      const { accounts, lastCode, overlap, moveTo, openSessions } = world;
      const { undo } = await moveTo(NEW);
      const form = { email: NEW, password: PASSWORD };
      if (kind === 'login') await accounts.signIn.requestLogin(form, OTHERS);
      else await accounts.signIn.resendCode({ email: NEW, purpose: 'recovery' }, OTHERS);
      const code = lastCode();
      const [, started] = await overlap(
        () => accounts.emailChange.undoEmailChange(undo),
        () =>
          kind === 'login'
            ? accounts.signIn.login({ ...form, code }, OTHERS)
            : accounts.signIn.verify({ email: NEW, code }, OTHERS),
      );
      expect(started.status).toBe('rejected');
      expect(await openSessions()).toBe(0);
    },
  );

  test('a form that is sent twice leaves one code open, the newest', async () => {
    const { accounts, database, lastCode, overlap } = await open();
    const form = { email: EMAIL, password: PASSWORD };
    const request = () => accounts.signIn.requestLogin(form, OTHERS);
    await overlap(request, request);
    const challenges = database.db.selectFrom('challenges').select('id');
    const owned = challenges.where('purpose', '=', 'login').where('browser', '=', OTHERS.browser);
    expect(await owned.where('closed_at', 'is', null).execute()).toHaveLength(1);
    await accounts.signIn.login({ ...form, code: lastCode() }, OTHERS);
  });

  test('a password that is set in a session which a recovery ends meanwhile is refused', async () => {
    const world = await open();
    const { accounts, session, lastCode, overlap } = world;
    await accounts.profile.requestCode(session, 'change-password', MINE);
    const changeCode = lastCode();
    await recover(world, OTHERS);
    const code = lastCode();
    const [, change] = await overlap(
      () => accounts.signIn.verify({ email: EMAIL, code }, OTHERS),
      () => accounts.profile.changePassword(session, { password: CHANGED, code: changeCode }, MINE),
    );
    expect(change).toMatchObject({ status: 'rejected', reason: { code: 'wrong-code' } });
    await logIn(world, PASSWORD);
  });
});

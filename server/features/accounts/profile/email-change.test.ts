import { expect, test } from 'bun:test';
import { HOUR, MINUTE } from '../../../contract/limits.ts';
import { formerAddresses } from '../../../platform/audit/store.ts';
import {
  describeUser,
  EMAIL,
  logIn,
  MINE,
  NEW,
  OTHERS,
  openAccounts,
  PASSWORD,
  STOLEN,
} from '../testing/accounts.ts';

await describeUser('a change of address', (open, openDatabase) => {
  test('the address moves with the code from the new one; the old one can undo it for 72 hours', async () => {
    const world = await open();
    const { accounts, session, mails, lastCode, token } = world;
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    expect(mails.at(-1)?.to).toBe(NEW);
    await accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    const notice = mails.at(-1);
    expect(notice?.to).toBe(EMAIL);
    expect((await world.sessionOf(token)).email).toBe(NEW);
    expect((await logIn(world, PASSWORD, MINE, NEW)).email).toBe(NEW);
    const undo = notice?.text.match(/token=([\w-]+)/)?.[1] ?? '';
    await expect(accounts.emailChange.undoEmailChange('A'.repeat(43))).rejects.toThrow('link');
    expect(await accounts.emailChange.undoEmailChange(undo)).toEqual({ email: EMAIL });
    await expect(accounts.emailChange.undoEmailChange(undo)).rejects.toThrow('link');
    expect(await accounts.session(token)).toBeNull();
    expect((await logIn(world, PASSWORD)).email).toBe(EMAIL);
    const former = await formerAddresses(world.database.db, [session.userId]);
    expect(former.map(({ email }) => email)).toEqual([EMAIL, NEW]);
  });

  test('an account goes back to the address that it left with a code, as to any other', async () => {
    const { accounts, session, lastCode, token, sessionOf } = await open();
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    await accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    const movedSession = await sessionOf(token);
    await accounts.emailChange.requestEmailChange(movedSession, EMAIL, MINE);
    await accounts.emailChange.changeEmail(movedSession, { email: EMAIL, code: lastCode() }, MINE);
    expect((await sessionOf(token)).email).toBe(EMAIL);
  });

  test('an undo link dies after 72 hours, and the old address is nobody else’s until then', async () => {
    const world = await open();
    const { accounts, session, mails, lastCode, time } = world;
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    await accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    const undo = mails.at(-1)?.text.match(/token=([\w-]+)/)?.[1] ?? '';
    await accounts.signIn.requestSignup({ email: EMAIL, password: STOLEN }, OTHERS);
    expect(mails.at(-1)?.subject).toBe('You already have a Wharf account');
    time.now += 72 * HOUR;
    await expect(accounts.emailChange.undoEmailChange(undo)).rejects.toThrow('has expired');
    await accounts.signIn.requestSignup({ email: EMAIL, password: STOLEN }, OTHERS);
    expect(mails.at(-1)?.text).toMatch(/\d{6}/);
  });

  test('an account can not move to an address that another one has; its owner is told', async () => {
    const world = await open();
    const { accounts, session, mails, lastCode } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: PASSWORD }, OTHERS);
    await accounts.signIn.verify({ email: NEW, code: lastCode() }, OTHERS);
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    expect(mails.at(-1)).toMatchObject({ to: NEW, subject: 'You already have a Wharf account' });
    const guess = accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    await expect(guess).rejects.toThrow('code');
  });

  test('a signup that was open is not finished with an address that is kept for its account', async () => {
    const world = await open();
    const { accounts, session, mails, lastCode, time } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: STOLEN }, OTHERS);
    const firstCode = lastCode();
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    await accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    const movedSession = { ...session, email: NEW, emailKey: NEW };
    time.now += MINUTE;
    await accounts.emailChange.requestEmailChange(movedSession, 'ada@third.example', MINE);
    await accounts.emailChange.changeEmail(
      movedSession,
      { email: 'ada@third.example', code: lastCode() },
      MINE,
    );
    const undo = mails.at(-1)?.text.match(/token=([\w-]+)/)?.[1] ?? '';
    await expect(accounts.signIn.verify({ email: NEW, code: firstCode }, OTHERS)).rejects.toThrow(
      'code',
    );
    expect(await accounts.emailChange.undoEmailChange(undo)).toEqual({ email: NEW });
  });

  test('nobody becomes admin by moving to the admin’s address', async () => {
    const world = await openAccounts(openDatabase, { adminEmail: NEW });
    const session = await world.sessionOf((await world.signUp()).token);
    await world.accounts.emailChange.requestEmailChange(session, NEW, MINE);
    expect(world.mails.at(-1)?.text).not.toMatch(/\d{6}/);
  });
});

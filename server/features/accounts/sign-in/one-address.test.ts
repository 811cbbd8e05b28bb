import { expect, test } from 'bun:test';
import { describeEachEngine, type OpenDatabase } from '../../../../tests/support/server/engines.ts';
import { HOUR } from '../../../contract/limits.ts';
import {
  client,
  EMAIL,
  MINE,
  OTHERS,
  openUser,
  PASSWORD,
  type World,
} from '../testing/accounts.ts';

const NEW = 'ada@new.example';
const WRONG_CODE = { status: 422, code: 'wrong-code' };

await describeEachEngine('one address, wanted twice at once', (openDatabase: OpenDatabase) => {
  /** Takes the address in a transaction that is not committed until `act` waits for it. */
  async function whileAddressTaken<Result>(
    { database }: World,
    emailKey: string,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const row = { id: `other-${emailKey}`, email: emailKey, password_hash: '' } as const;
    const user = { ...row, email_key: emailKey, status: 'active', created_at: 1 } as const;
    const take = () => database.transaction((tx) => tx.insertInto('users').values(user).execute());
    const [, outcome] = await database.overlap(take, act);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
  const idOf = async ({ database }: World, emailKey: string) =>
    (
      await database.db
        .selectFrom('users')
        .select('id')
        .where('email_key', '=', emailKey)
        .executeTakeFirst()
    )?.id;

  test('is the first signup’s; the second is told what a taken address is told', async () => {
    const world = await openUser(openDatabase);
    const { accounts, lastCode } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: PASSWORD }, OTHERS);
    const code = lastCode();
    const verification = whileAddressTaken(world, NEW, () =>
      accounts.signIn.verify({ email: NEW, code }, OTHERS),
    );
    await expect(verification).rejects.toMatchObject(WRONG_CODE);
    expect(await idOf(world, NEW)).toBe(`other-${NEW}`);
  });

  test('is one of many who change to it, and no other loses the address that it has', async () => {
    const world = await openUser(openDatabase);
    const { accounts, lastCode } = world;
    const movers = [];
    for (const name of ['one', 'two', 'three']) {
      const browser = client(name, `198.51.100.${name.length}`);
      const email = `${name}@example.com`;
      await accounts.signIn.requestSignup({ email, password: PASSWORD }, browser);
      const { token } = await accounts.signIn.verify({ email, code: lastCode() }, browser);
      const session = await world.sessionOf(token);
      await accounts.emailChange.requestEmailChange(session, NEW, browser);
      movers.push({ session, code: lastCode(), browser, email });
    }
    const moves = movers.map(({ session, code, browser }) =>
      accounts.emailChange.changeEmail(session, { email: NEW, code }, browser),
    );
    const outcomes = await Promise.allSettled(moves);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    for (const [at, end] of outcomes.entries()) {
      const { email = '', session } = movers[at] ?? {};
      if (end.status === 'fulfilled') expect(await idOf(world, NEW)).toBe(session?.userId);
      else {
        expect(end.reason).toMatchObject(WRONG_CODE);
        expect(await idOf(world, email)).toBe(session?.userId);
      }
    }
  });

  test('is the signup’s that came before a change to it, which is told so', async () => {
    const world = await openUser(openDatabase);
    const { accounts, session, lastCode } = world;
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    const code = lastCode();
    const change = whileAddressTaken(world, NEW, () =>
      accounts.emailChange.changeEmail(session, { email: NEW, code }, MINE),
    );
    await expect(change).rejects.toMatchObject(WRONG_CODE);
    expect(await idOf(world, NEW)).toBe(`other-${NEW}`);
    expect(await idOf(world, EMAIL.toLowerCase())).toBe(session.userId);
  });

  test('is not given back by a change that is undone in the moment in which it is somebody else’s', async () => {
    const world = await openUser(openDatabase);
    const { accounts, session, mails, lastCode, time } = world;
    await accounts.emailChange.requestEmailChange(session, NEW, MINE);
    await accounts.emailChange.changeEmail(session, { email: NEW, code: lastCode() }, MINE);
    const undo = mails.at(-1)?.text.match(/token=([\w-]+)/)?.[1] ?? '';
    time.now += 72 * HOUR - 1;
    const undoing = whileAddressTaken(world, EMAIL.toLowerCase(), () =>
      accounts.emailChange.undoEmailChange(undo),
    );
    await expect(undoing).rejects.toMatchObject({ status: 410 });
    expect(await idOf(world, NEW)).toBe(session.userId);
  });
});

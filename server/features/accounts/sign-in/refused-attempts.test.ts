import { expect, test } from 'bun:test';
import {
  client,
  describeUserOnSqlite,
  EMAIL,
  MINE,
  OTHERS,
  PASSWORD,
  STOLEN,
} from '../testing/accounts.ts';

describeUserOnSqlite('refused attempts', (open) => {
  test('are logged by ids, and recorded for the account', async () => {
    const { accounts, database, refused, session } = await open();
    const account = session.userId;
    const attempts = [
      accounts.signIn.requestLogin({ email: EMAIL, password: STOLEN }, OTHERS),
      accounts.signIn.requestLogin({ email: 'nobody@example.com', password: STOLEN }, OTHERS),
      accounts.signIn.verify({ email: EMAIL, code: 999_999 }, MINE),
      accounts.password.confirm(session, STOLEN, MINE),
      accounts.profile.deleteAccount(session, 999_999, MINE),
    ];
    await Promise.allSettled(attempts);
    await accounts.signIn.requestLogin({ email: EMAIL, password: PASSWORD }, MINE);
    await accounts.settle();

    const told = refused.map(({ client: _, ...rest }) => rest);
    expect(
      told.toSorted((a, b) => `${a.what}${a.account}`.localeCompare(`${b.what}${b.account}`)),
    ).toEqual([
      { what: 'delete-account', reason: 'wrong', account },
      { what: 'password', reason: 'wrong', account },
      { what: 'password', reason: 'wrong', account },
      { what: 'password', reason: 'wrong', account: null },
      { what: 'signup,recovery', reason: 'wrong', account },
    ]);
    const clients = new Set(refused.map((attempt) => attempt.client));
    expect(clients.size).toBe(2);
    expect(JSON.stringify(refused)).not.toMatch(/@|192\.0\.2/);

    const entries = await database.db
      .selectFrom('audit_log')
      .select(['action', 'subject_id', 'details'])
      .where('action', 'in', ['user.wrong-password', 'user.wrong-code'])
      .execute();
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'user.wrong-code',
      'user.wrong-code',
      'user.wrong-password',
      'user.wrong-password',
    ]);
    expect(new Set(entries.map(({ subject_id }) => subject_id))).toEqual(new Set([account]));
    expect(JSON.stringify(entries)).not.toMatch(/@|192\.0\.2/);
  });

  test('beyond the limit are logged as such, and not recorded one by one', async () => {
    const { accounts, database, refused } = await open();
    for (let n = 0; n < 17; n += 1) {
      const thief = client(`thief-${n}`, '198.51.100.9');
      await accounts.signIn.requestLogin({ email: EMAIL, password: 'x' }, thief).catch(() => {});
    }
    await accounts.settle();
    const count = (reason: string) => refused.filter((one) => one.reason === reason).length;
    expect([count('wrong'), count('too-many')]).toEqual([15, 2]);
    const { recorded } = await database.db
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('recorded'))
      .where('action', '=', 'user.wrong-password')
      .executeTakeFirstOrThrow();
    expect(recorded).toBe(15);
  });
});

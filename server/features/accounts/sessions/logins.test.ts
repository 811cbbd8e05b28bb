import { expect, test } from 'bun:test';
import { DAY, HOUR, SESSION_IDLE_TTL_MS } from '../../../contract/limits.ts';
import {
  client,
  describeUser,
  EMAIL,
  MINE,
  NEW,
  OTHERS,
  PASSWORD,
  recover,
  type World,
} from '../testing/accounts.ts';

const FORM = { email: EMAIL, password: PASSWORD };

/** Logs in with a code in another browser and trusts it. Returns the client as it is with the cookie. */
async function trust({ accounts, lastCode }: World) {
  await accounts.signIn.requestLogin(FORM, OTHERS);
  const form = { ...FORM, code: lastCode() };
  const { trustToken } = await accounts.signIn.loginAndTrust(form, OTHERS);
  return client(OTHERS.browser, OTHERS.address, trustToken);
}

await describeUser('recent logins', (open) => {
  test('list each way of logging in, newest first, also where the session has ended', async () => {
    const world = await open();
    const { accounts, lastCode, session, time } = world;
    const signedUpAt = new Date(time.now).toISOString();
    time.now += DAY;
    const trusted = await trust(world);
    time.now += DAY;
    await accounts.signIn.loginTrusted(FORM, trusted);
    const methods = async (from = session) =>
      (await accounts.profile.listLogins(from)).map(({ method, active }) => [method, active]);
    expect(await methods()).toEqual([
      ['trusted-browser', true],
      ['code', true],
      ['signup', true],
    ]);
    expect((await accounts.profile.listLogins(session)).at(-1)).toEqual({
      id: session.sessionId,
      method: 'signup',
      ...{ device: 'Firefox on Linux', address: '192.0.2.1', country: null, date: signedUpAt },
      ...{ active: true, current: true },
    });

    time.now += DAY;
    await recover(world);
    const recovered = await accounts.signIn.verify({ email: EMAIL, code: lastCode() }, MINE);
    expect(await methods(await world.sessionOf(recovered.token))).toEqual([
      ['recovery', true],
      ['trusted-browser', false],
      ['code', false],
      ['signup', false],
    ]);
  });

  test('show a session that nobody has used for long as ended', async () => {
    const { accounts, session, time } = await open();
    time.now += SESSION_IDLE_TTL_MS;
    expect(await accounts.profile.listLogins(session)).toMatchObject([{ active: false }]);
  });

  test('are the last 20, and none is of another account', async () => {
    const world = await open();
    const { accounts, lastCode, session, time } = world;
    await accounts.signIn.requestSignup({ email: NEW, password: PASSWORD }, OTHERS);
    const stranger = await accounts.signIn.verify({ email: NEW, code: lastCode() }, OTHERS);
    const trusted = await trust(world);
    for (let n = 0; n < 20; n += 1) {
      time.now += HOUR;
      await accounts.signIn.loginTrusted(FORM, trusted);
    }
    const list = await accounts.profile.listLogins(session);
    expect(list.map(({ method }) => method)).toEqual(Array(20).fill('trusted-browser'));
    expect(list.map(({ date }) => date)).toEqual(
      list
        .map(({ date }) => date)
        .sort()
        .reverse(),
    );
    const strangers = await accounts.profile.listLogins(await world.sessionOf(stranger.token));
    expect(strangers).toMatchObject([{ method: 'signup', address: OTHERS.address }]);
  });

  test('are deleted with the sessions a day after those would have expired', async () => {
    const { accounts, session, time, database } = await open();
    time.now += 31 * DAY + 1000;
    await accounts.forgetExpired();
    expect(await accounts.profile.listLogins(session)).toEqual([]);
    expect(await database.db.selectFrom('sessions').select('id').execute()).toEqual([]);
  });
});

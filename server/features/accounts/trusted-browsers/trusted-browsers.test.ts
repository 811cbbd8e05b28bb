import { expect, test } from 'bun:test';
import { DAY } from '../../../contract/limits.ts';
import {
  ADMIN,
  client,
  describeUser,
  EMAIL,
  logIn,
  MINE,
  NEW,
  OTHERS,
  openUser,
  PASSWORD,
  recover,
  type World,
} from '../testing/accounts.ts';

const FORM = { email: EMAIL, password: PASSWORD };

/** Logs in with a code and trusts the browser. Returns the client as it is with the cookie. */
async function trust(world: World, browser = MINE) {
  await world.accounts.signIn.requestLogin(FORM, browser);
  const form = { ...FORM, code: world.lastCode() };
  const { session, trustToken } = await world.accounts.signIn.loginAndTrust(form, browser);
  if (!trustToken) throw new Error('not trusted');
  const trusting = client(browser.browser, browser.address, trustToken);
  return { session: await world.sessionOf(session.token), trustToken, trusting };
}
const logInTrusted = (world: World, from: typeof MINE, password = PASSWORD) =>
  world.accounts.signIn.loginTrusted({ email: EMAIL, password }, from);
const CODE_REQUIRED = expect.objectContaining({ status: 403, code: 'code-required' });

await describeUser('a trusted browser', (open, openDatabase) => {
  test('logs in without a code, and no other browser does, nor with another password', async () => {
    const world = await open();
    const { trusting } = await trust(world);
    const mails = world.mails.length;
    const session = await logInTrusted(world, trusting);
    expect(await world.accounts.session(session.token)).toMatchObject({ email: EMAIL });
    expect(world.mails).toHaveLength(mails);
    const refusals = [MINE, OTHERS, client('my-browser', '192.0.2.1', 'guess')];
    for (const from of refusals) {
      await expect(logInTrusted(world, from)).rejects.toEqual(CODE_REQUIRED);
    }
    await expect(logInTrusted(world, trusting, 'guess')).rejects.toThrow('Incorrect email');
  });

  test('of one user is not that of another', async () => {
    const world = await open();
    const { trusting } = await trust(world);
    const { signIn } = world.accounts;
    await signIn.requestSignup({ email: NEW, password: PASSWORD }, OTHERS);
    await signIn.verify({ email: NEW, code: world.lastCode() }, OTHERS);
    const other = { email: NEW, password: PASSWORD };
    await expect(signIn.loginTrusted(other, trusting)).rejects.toEqual(CODE_REQUIRED);
    const { id = '' } = (await world.accounts.trustedBrowsers.list(world.session, null))[0] ?? {};
    const stranger = { userId: 'stranger' };
    await expect(world.accounts.trustedBrowsers.remove(stranger, id)).rejects.toThrow('not found');
    await logInTrusted(world, trusting);
  });

  test('is stored by a hash, and listed with its last login and its end', async () => {
    const world = await open();
    const { trustToken, trusting } = await trust(world);
    const rows = await world.database.db.selectFrom('trusted_browsers').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(trustToken);
    const trustedAt = world.time.now;
    world.time.now += DAY;
    await logInTrusted(world, trusting);
    const list = (token: string | null) =>
      world.accounts.trustedBrowsers.list(world.session, token);
    expect(await list(trustToken)).toEqual([
      {
        ...{ id: expect.any(String), device: 'Firefox on Linux', address: '192.0.2.1' },
        ...{ country: null, current: true, date: new Date(trustedAt).toISOString() },
        last_used: new Date(trustedAt + DAY).toISOString(),
        expires: new Date(trustedAt + 30 * DAY).toISOString(),
      },
    ]);
    expect(await list(null)).toMatchObject([{ current: false }]);
  });

  test('needs a code again after 30 days, however often it logs in, and is then deleted', async () => {
    const world = await open();
    const { trusting } = await trust(world);
    world.time.now += 30 * DAY - 1;
    await logInTrusted(world, trusting);
    world.time.now += 1;
    await expect(logInTrusted(world, trusting)).rejects.toEqual(CODE_REQUIRED);
    expect(await world.accounts.trustedBrowsers.list(world.session, null)).toEqual([]);
    world.time.now += DAY + 1;
    await world.accounts.forgetExpired();
    expect(await world.database.db.selectFrom('trusted_browsers').selectAll().execute()).toEqual(
      [],
    );
  });

  const ends: [string, (world: World, id: string) => Promise<unknown>][] = [
    ['it is removed', ({ accounts, session }, id) => accounts.trustedBrowsers.remove(session, id)],
    [
      'all other sessions are ended',
      ({ accounts, session }) => accounts.profile.endOtherSessions(session),
    ],
    [
      'the password is changed',
      async ({ accounts, session, lastCode }) => {
        await accounts.profile.requestCode(session, 'change-password', MINE);
        // The password stays the same, so that only the trust is missing.
        const form = { password: PASSWORD, code: lastCode() };
        await accounts.profile.changePassword(session, form, MINE);
      },
    ],
    [
      'the account is recovered',
      async (world) => {
        await recover(world);
        await world.accounts.signIn.verify({ email: EMAIL, code: world.lastCode() }, MINE);
      },
    ],
    [
      'the account is banned and unbanned',
      async ({ accounts, session }) => {
        await accounts.moderation.banUser(ADMIN, session.userId);
        await accounts.moderation.unbanUser(ADMIN, session.userId);
      },
    ],
    [
      'the address changes and changes back',
      async (world) => {
        for (const email of [NEW, EMAIL]) {
          const session = await world.sessionOf(world.token);
          await world.accounts.emailChange.requestEmailChange(session, email, MINE);
          const form = { email, code: world.lastCode() };
          await world.accounts.emailChange.changeEmail(session, form, MINE);
        }
      },
    ],
  ];
  test.each(ends)('needs a code again once %s', async (_, end) => {
    const world = await open();
    const { trusting } = await trust(world);
    const [browser] = await world.accounts.trustedBrowsers.list(world.session, null);
    await end(world, browser?.id ?? '');
    await expect(logInTrusted(world, trusting)).rejects.toEqual(CODE_REQUIRED);
  });

  test('stays trusted when it logs out, when a session ends, and when a code is used without trust', async () => {
    const world = await open();
    const { session, trusting } = await trust(world);
    await world.accounts.profile.endSession(world.session, session.sessionId);
    await world.accounts.logout(world.token);
    await logIn(world, PASSWORD, trusting);
    await logInTrusted(world, trusting);
  });

  test('that is trusted again replaces itself, and the 21st the oldest', async () => {
    const world = await open();
    const first = await trust(world);
    const again = await trust(world, first.trusting);
    await expect(logInTrusted(world, first.trusting)).rejects.toEqual(CODE_REQUIRED);
    const list = () => world.accounts.trustedBrowsers.list(world.session, null);
    expect(await list()).toHaveLength(1);
    const { database, session, time, accounts } = world;
    for (let n = 1; n <= 20; n += 1) {
      await logInTrusted(world, again.trusting);
      time.now += 1;
      await database.transaction((tx) =>
        accounts.trustedBrowsers.trust(tx, session.userId, MINE, time.now),
      );
      expect(await list()).toHaveLength(Math.min(n + 1, 20));
    }
    await expect(logInTrusted(world, again.trusting)).rejects.toEqual(CODE_REQUIRED);
  });

  test('is none where the operator forbids it, also one that was trusted before', async () => {
    const world = await openUser(openDatabase, 0);
    const { accounts, database, lastCode, time } = world;
    await accounts.signIn.requestLogin(FORM, MINE);
    const login = await accounts.signIn.loginAndTrust({ ...FORM, code: lastCode() }, MINE);
    expect(login.trustToken).toBeNull();
    const rows = database.db.selectFrom('trusted_browsers').selectAll();
    expect(await rows.execute()).toEqual([]);
    const token_hash = new Bun.CryptoHasher('sha256').update('before').digest('base64url');
    await database.db
      .insertInto('trusted_browsers')
      .values({
        ...{ id: 'b', user_id: world.session.userId, token_hash, device: '', address: '' },
        ...{ country: null, created_at: time.now, last_used_at: time.now },
      })
      .execute();
    const before = client('my-browser', '192.0.2.1', 'before');
    await expect(logInTrusted(world, before)).rejects.toEqual(CODE_REQUIRED);
    expect(await accounts.trustedBrowsers.list(world.session, null)).toEqual([]);
    const cookie = `wharf_session=${world.token}`;
    const request = new Request('https://wharf.example/', { headers: { cookie } });
    expect(await accounts.securityOfViewer(request)).toMatchObject({ browsers: null });
  });

  test('is in the audit log when it is trusted, used and removed', async () => {
    const world = await open();
    const { trusting } = await trust(world);
    await logInTrusted(world, trusting);
    const [browser] = await world.accounts.trustedBrowsers.list(world.session, null);
    await world.accounts.trustedBrowsers.remove(world.session, browser?.id ?? '');
    const rows = await world.database.db
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .orderBy('id')
      .execute();
    expect(rows.slice(-3).map(({ action }) => action)).toEqual([
      'user.trusted-browser',
      'user.logged-in',
      'user.untrusted-browser',
    ]);
    expect(JSON.parse(rows.at(-2)?.details ?? '')).toEqual({ trusted_browser: browser?.id });
  });
});

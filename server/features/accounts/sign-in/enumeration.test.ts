import { expect, spyOn, test } from 'bun:test';
import { describeEachEngine } from '../../../../tests/support/server/engines.ts';
import { EMAIL, MINE, OTHERS, openAccounts as open, PASSWORD } from '../testing/accounts.ts';

await describeEachEngine('whether an address has an account', (openDatabase) => {
  test('known and unknown addresses take the same work: as many hashes, mails and jobs', async () => {
    const { accounts, database, mails, signUp } = await open(openDatabase, { adminEmail: null });
    await signUp();
    const unknown = 'nobody@example.com';
    // So that either has had one of its five mails.
    await accounts.signIn.requestSignup({ email: unknown, password: PASSWORD }, MINE);
    // Its first use makes the hash that stands for nobody's.
    await accounts.signIn.requestLogin({ email: unknown, password: 'x' }, OTHERS).catch(() => {});
    const hashes = [spyOn(Bun.password, 'hash'), spyOn(Bun.password, 'verify')];
    const jobs = async () =>
      (await database.db.selectFrom('jobs').select('id').where('kind', '=', 'mail').execute())
        .length;
    const work = async (act: () => Promise<unknown>) => {
      for (const hash of hashes) hash.mockClear();
      const [mailsBefore, jobsBefore] = [mails.length, await jobs()];
      const error = await act().then(
        () => null,
        (thrown) => String(thrown),
      );
      return {
        hashes: hashes.map((hash) => hash.mock.calls.length),
        mails: mails.length - mailsBefore,
        jobs: (await jobs()) - jobsBefore,
        error,
      };
    };
    const requests: Record<string, [(email: string) => Promise<unknown>, object]> = {
      signup: [
        (email) => accounts.signIn.requestSignup({ email, password: PASSWORD }, OTHERS),
        { hashes: [1, 0], mails: 1, jobs: 1 },
      ],
      'resent signup': [
        (email) => accounts.signIn.resendCode({ email, purpose: 'signup' }, OTHERS),
        { hashes: [0, 0], mails: 1, jobs: 1 },
      ],
      login: [
        (email) => accounts.signIn.requestLogin({ email, password: 'wrong horse' }, OTHERS),
        { hashes: [0, 1], mails: 0, jobs: 0 },
      ],
      recovery: [
        (email) => accounts.signIn.resendCode({ email, purpose: 'recovery' }, OTHERS),
        { hashes: [0, 0], mails: 1, jobs: 1 },
      ],
      'resent recovery': [
        (email) => accounts.signIn.resendCode({ email, purpose: 'recovery' }, OTHERS),
        { hashes: [0, 0], mails: 1, jobs: 1 },
      ],
      verify: [
        (email) => accounts.signIn.verify({ email, code: 999_999 }, OTHERS),
        { hashes: [0, 0], mails: 0, jobs: 0 },
      ],
      'second step': [
        (email) => accounts.signIn.login({ email, password: 'wrong horse', code: 999_999 }, OTHERS),
        { hashes: [0, 1], mails: 0, jobs: 0 },
      ],
    };
    try {
      for (const [what, [act, expected]] of Object.entries(requests)) {
        const existing = await work(() => act(EMAIL));
        const nobody = await work(() => act(unknown));
        expect([what, existing]).toEqual([what, nobody]);
        expect([what, existing]).toEqual([what, expect.objectContaining(expected)]);
      }
    } finally {
      for (const hash of hashes) hash.mockRestore();
    }
  });

  test('whether a recovery’s mail arrives is told alike for known and unknown addresses', async () => {
    const { accounts, mails, signUp } = await open(openDatabase, { adminEmail: null });
    await signUp();
    for (const email of [EMAIL, 'nobody@example.com']) {
      await accounts.signIn.resendCode({ email, purpose: 'recovery' }, OTHERS);
      // A mail that is sent in one case only would fail in that one only.
      expect(mails.at(-1)?.to).toBe(email);
      expect(await accounts.signIn.mailFailure({ email, purpose: 'recovery' }, OTHERS)).toBeNull();
    }
  });
});

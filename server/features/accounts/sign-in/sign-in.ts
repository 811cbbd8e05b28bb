import type { SessionWire } from '../../../contract/wire.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import { type AccountContext, type Address, addressOf } from '../context.ts';
import { accountBanned, codeRequired, wrongCredentials } from '../errors.ts';
import * as sessionStore from '../sessions/session-store.ts';
import type { NewSession } from '../sessions/sessions.ts';
import * as store from '../store.ts';
import type { ChallengePurpose, ChallengeRow, LoginMethod, UserRow } from '../tables.ts';
import type { TrustedBrowsers } from '../trusted-browsers/trusted-browsers.ts';
import { hashPassword, validateNewPassword, verifyPassword } from './passwords.ts';
import { SignInCodes, type SignInPurpose } from './sign-in-codes.ts';
import { recognizeClient } from './sign-in-limits.ts';
import { rememberBrowser } from './sign-in-store.ts';

type Credentials = { email: string; password: string };
type CodeForm = { email: string; code: number };

/** Signup, login and recovery. */
export class SignIn {
  private readonly codes: SignInCodes;

  constructor(
    private readonly context: AccountContext,
    private readonly trusted: TrustedBrowsers,
  ) {
    this.codes = new SignInCodes(context);
  }

  /** Opens a signup: nothing is reserved until the code comes back from the same browser. */
  async requestSignup(form: Credentials, client: Client) {
    const { database, clock } = this.context;
    const address = addressOf(form.email);
    await validateNewPassword(form.password);
    await this.limitMail(address, client);
    await this.context.limits.limitSignup(client);
    const passwordHash = await hashPassword(form.password);
    const isTaken = await store.isAddressTaken(database.db, address.emailKey, clock());
    await this.codes.send(address, 'signup', client, { isDecoy: isTaken, passwordHash });
  }

  /** Runs step 1 of the login: the right password has a code sent. Throws wrong-credentials. */
  async requestLogin(form: Credentials, client: Client) {
    const address = addressOf(form.email);
    await this.requireUser(address, form.password, client);
    await this.limitMail(address, client);
    await this.codes.send(address, 'login', client, { isDecoy: false });
  }

  /**
   * Sends a new code for the challenge that this browser has open, and does nothing visible where
   * none is open. A recovery has no other first step, so it is opened here.
   */
  async resendCode(form: { email: string; purpose: SignInPurpose }, client: Client) {
    const address = addressOf(form.email);
    const { emailKey } = address;
    await this.limitMail(address, client);
    const owner = { purpose: form.purpose, emailKey, browser: client.browser };
    const isRenewed = await this.codes.resend(owner);
    if (isRenewed || form.purpose !== 'recovery') return;
    const user = await store.userByEmail(this.context.database.db, emailKey);
    await this.codes.send(address, 'recovery', client, { isDecoy: user?.status !== 'active' });
  }

  /** Finishes the signup or the recovery that is open for the address. Throws wrong-code. */
  async verify(form: CodeForm, client: Client): Promise<SessionWire> {
    const session = await this.codes.confirm(
      addressOf(form.email),
      ['signup', 'recovery'],
      form.code,
      client,
      (tx, challenge, now) =>
        challenge.purpose === 'signup'
          ? this.signUp(tx, challenge, client, now)
          : this.recover(tx, challenge, client, now),
    );
    await this.context.publishSessionEnd(session.userId);
    return this.context.sessions.sign(session);
  }

  /** Runs step 2 of the login. Throws wrong-credentials, wrong-code. */
  async login(form: Credentials & CodeForm, client: Client): Promise<SessionWire> {
    return (await this.loginWithCode(form, client, false)).session;
  }

  /**
   * Does the same, and trusts the browser. Returns the token for its cookie; null where the operator forbids it.
   */
  loginAndTrust(form: Credentials & CodeForm, client: Client) {
    return this.loginWithCode(form, client, true);
  }

  /**
   * Logs in with the password alone, in a browser that the user trusts. Throws wrong-credentials, code-required.
   */
  async loginTrusted(form: Credentials, client: Client): Promise<SessionWire> {
    const { database, clock, sessions } = this.context;
    const user = await this.requireUser(addressOf(form.email), form.password, client);
    const session = await database.transaction(async (tx) => {
      const now = clock();
      const current = await this.lockUnchanged(tx, user);
      const browser = current && (await this.trusted.recognize(tx, user.id, client, now));
      if (!current || !browser) return null;
      await recordAudit(tx, now, 'logged-in', user.id, undefined, { trusted_browser: browser });
      return this.startSession(tx, current, client, 'trusted-browser', now);
    });
    if (!session) throw codeRequired();
    return sessions.sign(session);
  }

  private async loginWithCode(form: Credentials & CodeForm, client: Client, isTrusting: boolean) {
    const trust: { token: string | null } = { token: null };
    const address = addressOf(form.email);
    const user = await this.requireUser(address, form.password, client);
    const work = async (tx: Tx, _: ChallengeRow, now: number) => {
      const current = await this.lockUnchanged(tx, user);
      if (!current) return null;
      await recordAudit(tx, now, 'logged-in', user.id);
      if (isTrusting) trust.token = await this.trusted.trust(tx, user.id, client, now);
      return this.startSession(tx, current, client, 'code', now);
    };
    const session = await this.codes.confirm(address, ['login'], form.code, client, work);
    return { session: await this.context.sessions.sign(session), trustToken: trust.token };
  }

  /**
   * Says why the mail with the last code of this browser can't arrive, in a sentence for a person.
   * Returns null where nothing is known to be wrong.
   */
  async mailFailure(form: { email: string; purpose: ChallengePurpose }, client: Client) {
    const { emailKey } = addressOf(form.email);
    return this.codes.mailFailure({ purpose: form.purpose, emailKey, browser: client.browser });
  }

  private async limitMail({ emailKey }: Address, client: Client) {
    const { database, limits } = this.context;
    await limits.limitMail(await recognizeClient(database.db, emailKey, client));
  }

  private async requireUser({ emailKey }: Address, password: string, client: Client) {
    const { limits } = this.context;
    const { db } = this.context.database;
    const requester = await recognizeClient(db, emailKey, client);
    const user = await limits.limitAttempt({ what: 'password', ...requester }, async () => {
      const row = await store.userByEmail(db, emailKey);
      const isRight = await verifyPassword(password, row?.password_hash);
      return isRight && row && row.status !== 'deleting' ? row : null;
    });
    if (!user) throw wrongCredentials();
    // Only a caller who knows the password learns that the account is banned.
    if (user.status === 'banned') throw accountBanned();
    return user;
  }

  /**
   * Locks a user whom `requireUser` returned, and returns the row; null where the account was changed since. What changes
   * it ends the sessions that it sees, so it is locked before another one starts.
   */
  private async lockUnchanged(tx: Tx, user: UserRow): Promise<UserRow | null> {
    const current = await store.lockUserByEmail(tx, user.email_key);
    const isUnchanged = current?.id === user.id && current.password_hash === user.password_hash;
    return isUnchanged && current.status === 'active' ? current : null;
  }

  private async signUp(tx: Tx, challenge: ChallengeRow, client: Client, now: number) {
    const user: UserRow = {
      id: newId(now),
      email: challenge.email,
      email_key: challenge.email_key,
      password_hash: challenge.password_hash ?? '',
      status: 'active',
      banned_at: null,
      max_bytes: null,
      created_at: now,
    };
    // The address may have been taken since the signup was opened, or be kept for its old account.
    if (await store.isAddressTaken(tx, user.email_key, now)) return null;
    if (!(await store.insertUser(tx, user))) return null;
    await this.context.onSignup(tx, user, now);
    await recordAudit(tx, now, 'signed-up', user.id);
    return this.startSession(tx, user, client, 'signup', now);
  }

  private async recover(tx: Tx, challenge: ChallengeRow, client: Client, now: number) {
    const user = await store.lockUserByEmail(tx, challenge.email_key);
    if (user?.status !== 'active') return null;
    await recordAudit(tx, now, 'recovered', user.id);
    return this.startSession(tx, user, client, 'recovery', now);
  }

  private async startSession(
    tx: Tx,
    user: UserRow,
    client: Client,
    method: LoginMethod,
    now: number,
  ): Promise<NewSession> {
    const { sessions } = this.context;
    await rememberBrowser(tx, user.id, client.browser, now);
    const session = await sessions.start(tx, user, client, method, now);
    if (method === 'recovery')
      await sessionStore.revokeSessions(tx, user.id, session.sessionId, now);
    return session;
  }
}

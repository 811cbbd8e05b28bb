import { randomBytes } from 'node:crypto';
import { HOUR, MINUTE } from '../../contract/limits.ts';
import { forbidden, gone, notFound } from '../../errors.ts';
import type { Tx } from '../../platform/db/port.ts';
import type { ChallengePurpose, ChallengeRow } from '../../platform/db/tables.ts';
import { newId } from '../../platform/ids.ts';
import { mac } from '../../platform/secrets/mac.ts';
import { noteAct } from './acts.ts';
import { isDead } from './challenges.ts';
import type { Client } from './client.ts';
import { type AccountContext, type Address, addressOf } from './context.ts';
import { beginDeletion } from './deletion.ts';
import { wrongCode } from './failures.ts';
import { addressChangedMail, addressTakenMail, codeMail } from './mails.ts';
import { hashPassword } from './passwords.ts';
import * as profile from './profile-store.ts';
import type { Session } from './sessions.ts';
import * as store from './store.ts';

/** What a logged-in user confirms with a code to the account's own address. */
export type ConfirmedPurpose = 'change-password' | 'delete-account' | 'delete-bucket';

const CHALLENGE_LIFE = HOUR;
/** After a recovery the password may be changed without another code. */
const RECOVERY_GRACE = 10 * MINUTE;
const UNDO_LIFE = 72 * HOUR;

/** What users do with their own account. */
export function createProfile(context: AccountContext) {
  const {
    database,
    clock,
    queue,
    post,
    appUrl,
    undoKey,
    challenges,
    limits,
    sessions,
    belongings,
  } = context;
  const { tellEnded } = context;
  const { db } = database;

  /** Whether the account has been logged in in this browser. */
  const knows = ({ emailKey }: Session, { browser }: Client) =>
    profile.isKnownBrowser(db, emailKey, browser);

  const request = async (
    session: Session,
    client: Client,
    wanted: Address & { purpose: ChallengePurpose; isDead: boolean },
  ) => {
    const { emailKey } = wanted;
    // To one's own address, so that strangers' mails don't use up those of the owner.
    const isKnownBrowser = emailKey === session.emailKey && (await knows(session, client));
    await limits.askedForMail({ emailKey, client, isKnownBrowser });
    await database.transaction(async (tx) => {
      const now = clock();
      const { userId } = session;
      const { browser } = client;
      const expiresAt = now + CHALLENGE_LIFE;
      const issued = await challenges.open(tx, { ...wanted, userId, browser, expiresAt }, now);
      const { email } = wanted;
      const mail = isDead(issued.challenge)
        ? addressTakenMail(email, appUrl)
        : codeMail(email, issued.code, wanted.purpose);
      await store.noteMail(tx, issued.challenge.id, await post(tx, mail));
    });
    queue.wake();
  };

  /** Spends a code that this session asked for. Null where it is wrong. */
  const confirm = async <Result>(
    session: Session,
    client: Client,
    asked: { purpose: ChallengePurpose; emailKey: string; code: number },
    change: (tx: Tx, challenge: ChallengeRow, now: number) => Promise<Result | null>,
  ): Promise<Result | null> => {
    const { purpose, emailKey, code } = asked;
    // A thief of a session is no known browser, however many names their own takes.
    const trying = {
      what: purpose,
      emailKey,
      client,
      isKnownBrowser: await knows(session, client),
    };
    return limits.tried(trying, () =>
      database.transaction(async (tx) => {
        const now = clock();
        const owner = { purpose, emailKey, browser: client.browser };
        const challenge = await challenges.answer(tx, owner, code, now);
        return challenge?.user_id === session.userId ? change(tx, challenge, now) : null;
      }),
    );
  };

  const refuseAdmin = (session: Session) => {
    if (session.isAdmin)
      throw forbidden("The admin's account can't do this: its address is in the configuration.");
  };

  return {
    /** Mails a code to the account's address. Throws too-many. */
    async requestCode(session: Session, purpose: ConfirmedPurpose, client: Client) {
      if (purpose === 'delete-account') refuseAdmin(session);
      const { email, emailKey } = session;
      await request(session, client, { purpose, email, emailKey, isDead: false });
    },

    /**
     * Spends the code of a purpose and makes the change that it confirms, in one transaction.
     * Throws wrong-code.
     */
    async confirmed(
      session: Session,
      form: { purpose: ConfirmedPurpose; code: number },
      client: Client,
      change: (tx: Tx, now: number) => Promise<void>,
    ) {
      const asked = { ...form, emailKey: session.emailKey };
      const done = await confirm(session, client, asked, async (tx, _, now) => {
        await change(tx, now);
        return true;
      });
      if (!done) throw wrongCode();
    },

    /** Mails a code to the address that the account is to have. Throws bad-email, too-many. */
    async requestEmailChange(session: Session, newEmail: string, client: Client) {
      refuseAdmin(session);
      const address = addressOf(newEmail);
      const taken =
        sessions.isAdmin(address.emailKey) ||
        (address.emailKey !== session.emailKey &&
          (await profile.isAddressTaken(db, address.emailKey, clock())));
      await request(session, client, { ...address, purpose: 'change-email', isDead: taken });
    },

    /** Moves the account to the address that the code came to, and tells the old one. Throws wrong-code. */
    async changeEmail(session: Session, form: { email: string; code: number }, client: Client) {
      refuseAdmin(session);
      const { emailKey } = addressOf(form.email);
      const asked = { purpose: 'change-email' as const, emailKey, code: form.code };
      const changed = await confirm(session, client, asked, async (tx, challenge, now) => {
        if (emailKey !== session.emailKey && (await profile.isAddressTaken(tx, emailKey, now))) {
          return null;
        }
        const undo = randomBytes(32).toString('base64url');
        await profile.insertEmailChange(tx, {
          id: newId(now),
          user_id: session.userId,
          old_email: session.email,
          old_key: session.emailKey,
          undo_mac: mac(undoKey, undo),
          created_at: now,
          expires_at: now + UNDO_LIFE,
          closed_at: null,
        });
        await profile.setEmail(tx, session.userId, { email: challenge.email, emailKey });
        await noteAct(tx, now, 'changed-email', session.userId);
        const undoUrl = `${appUrl}/undo-email-change?token=${undo}`;
        await post(tx, addressChangedMail(session.email, challenge.email, undoUrl));
        return true;
      });
      queue.wake();
      if (!changed) throw wrongCode();
    },

    /** Gives the account its old address back and ends every session. Throws gone. */
    async undoEmailChange(token: string): Promise<{ email: string }> {
      const undone = await database.transaction(async (tx) => {
        const now = clock();
        const change = await profile.closeEmailChange(tx, mac(undoKey, token), now);
        if (!change) return null;
        const user = await profile.userById(tx, change.user_id);
        if (user?.status !== 'active') return null;
        await profile.closeLaterChanges(tx, change, now);
        await profile.setEmail(tx, user.id, { email: change.old_email, emailKey: change.old_key });
        await store.revokeSessions(tx, user.id, null, now);
        await noteAct(tx, now, 'undid-email-change', user.id);
        return { userId: user.id, email: change.old_email };
      });
      if (!undone) throw gone('This link has been used, or is older than 72 hours.');
      await tellEnded(undone.userId);
      return { email: undone.email };
    },

    /**
     * Within ten minutes of a recovery no code is needed, else the one of `change-password`.
     * Ends the other sessions. Throws wrong-code.
     */
    async changePassword(
      session: Session,
      form: { password: string; code: number | undefined },
      client: Client,
    ) {
      const { recoveredAt, emailKey } = session;
      const isRecovering = recoveredAt !== null && clock() - recoveredAt < RECOVERY_GRACE;
      if (!isRecovering && form.code === undefined) throw wrongCode();
      const passwordHash = await hashPassword(form.password);
      const change = async (tx: Tx, now: number) => {
        await profile.setPassword(tx, session.userId, passwordHash);
        await store.revokeSessions(tx, session.userId, session.sessionId, now);
        await noteAct(tx, now, 'changed-password', session.userId);
        return true;
      };
      const changed =
        form.code === undefined
          ? await database.transaction(
              async (tx) => (await store.endRecovery(tx, session.sessionId)) && change(tx, clock()),
            )
          : await confirm(
              session,
              client,
              { purpose: 'change-password', emailKey, code: form.code },
              async (tx, _, now) => {
                await store.endRecovery(tx, session.sessionId);
                return change(tx, now);
              },
            );
      if (!changed) throw wrongCode();
      await tellEnded(session.userId);
    },

    /** What deleting the account would wipe. */
    async contents(session: Session) {
      const totals = await belongings.totals(session.userId);
      return { empty: totals.buckets === 0, ...totals };
    },

    /** From here on the account can do nothing; a job wipes it. Throws wrong-code. */
    async deleteAccount(session: Session, code: number, client: Client) {
      refuseAdmin(session);
      const asked = { purpose: 'delete-account' as const, emailKey: session.emailKey, code };
      const deleted = await confirm(session, client, asked, async (tx) => {
        await beginDeletion(context, tx, session.userId, { userId: session.userId });
        return true;
      });
      if (!deleted) throw wrongCode();
      queue.wake();
      // Delivery stops now, not when the job is begun.
      await belongings.refresh(session.userId);
      await tellEnded(session.userId);
    },

    async listSessions(session: Session) {
      const rows = await store.listSessions(db, session.userId, clock());
      return rows.map((row) => ({
        id: row.id,
        device: row.device,
        address: row.address,
        date: new Date(row.created_at).toISOString(),
        last_seen: new Date(row.last_seen_at).toISOString(),
        current: row.id === session.sessionId,
      }));
    },

    /** Throws not-found. */
    async endSession(session: Session, id: string) {
      await database.transaction(async (tx) => {
        const now = clock();
        if (!(await store.revokeSession(tx, session.userId, id, now))) throw notFound('Session');
        await noteAct(tx, now, 'ended-session', session.userId);
      });
      await tellEnded(session.userId);
    },

    async endOtherSessions(session: Session) {
      await database.transaction(async (tx) => {
        const now = clock();
        await store.revokeSessions(tx, session.userId, session.sessionId, now);
        await noteAct(tx, now, 'ended-other-sessions', session.userId);
      });
      await tellEnded(session.userId);
    },
  };
}

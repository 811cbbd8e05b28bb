import { MINUTE } from '../../../contract/limits.ts';
import { badRequest, notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { addressOfSender } from '../../../platform/mail/address.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import type { AccountContext } from '../context.ts';
import { wrongCode } from '../errors.ts';
import { MAX_LOGINS, toLogin } from '../sessions/logins.ts';
import * as sessionStore from '../sessions/session-store.ts';
import type { Session } from '../sessions/sessions.ts';
import type { EmailConfirmation } from '../sign-in/email-confirmation.ts';
import { hashPassword, replacePassword, validateNewPassword } from '../sign-in/passwords.ts';
import { startAccountDeletion } from './account-deletion.ts';

/** A change that a logged-in user confirms with a code mailed to the account's own address. */
export type ConfirmedPurpose = 'change-password' | 'delete-account' | 'delete-bucket';

/** How long after a recovery the password may be changed without another code. */
const RECOVERY_GRACE_MS = 10 * MINUTE;

/** The calls by which users manage their own account. */
export class Profile {
  constructor(
    private readonly context: AccountContext,
    private readonly confirmation: EmailConfirmation,
  ) {}

  /**
   * Mails a code to the account's address. The code to delete a bucket is for the one with
   * `bucketId` only, which the mail names. Throws bad-request without it, not-found, too-many.
   */
  async requestCode(
    session: Session,
    purpose: ConfirmedPurpose,
    client: Client,
    bucketId?: string,
  ) {
    if (purpose === 'delete-account') this.confirmation.refuseAdmin(session);
    const bucket = purpose === 'delete-bucket' ? await this.bucketOf(session, bucketId) : undefined;
    const { email, emailKey } = session;
    const request = { purpose, email, emailKey, isDecoy: false, bucket };
    await this.confirmation.request(session, client, request);
  }

  private async bucketOf({ userId }: Session, id: string | undefined) {
    if (!id) throw badRequest('Send the id of the bucket in the bucket_id field.');
    return { id, name: await this.context.ownedResources.bucketName(userId, id) };
  }

  /**
   * Closes the challenge that the code opens and makes the change that it confirms, in one
   * transaction. Throws wrong-code.
   */
  async confirmed(
    session: Session,
    form: { purpose: ConfirmedPurpose; code: number; bucketId?: string },
    client: Client,
    change: (tx: Tx, now: number) => Promise<void>,
  ) {
    const confirmed = { ...form, emailKey: session.emailKey };
    const isDone = await this.confirmation.confirm(
      session,
      client,
      confirmed,
      async (tx, _, now) => {
        await change(tx, now);
        return true;
      },
    );
    if (!isDone) throw wrongCode();
  }

  /**
   * Sets a new password and ends the other sessions. Within ten minutes of a recovery no code is
   * needed, otherwise the one of `change-password`. Throws wrong-code, common-password.
   */
  async changePassword(
    session: Session,
    form: { password: string; code: number | undefined },
    client: Client,
  ) {
    const { database, clock, publishSessionEnd, sessions } = this.context;
    const { recoveredAt, emailKey } = session;
    const isRecovering = recoveredAt !== null && clock() - recoveredAt < RECOVERY_GRACE_MS;
    if (!isRecovering && form.code === undefined) throw wrongCode();
    await validateNewPassword(form.password);
    const passwordHash = await hashPassword(form.password);
    const isChanged =
      form.code === undefined
        ? await database.transaction(
            async (tx) =>
              (await sessions.lock(tx, session, clock())) &&
              (await sessionStore.endRecovery(tx, session.sessionId)) &&
              changePassword(tx, session, passwordHash, clock()),
          )
        : await this.confirmation.confirm(
            session,
            client,
            { purpose: 'change-password', emailKey, code: form.code },
            async (tx, _, now) => {
              await sessionStore.endRecovery(tx, session.sessionId);
              return changePassword(tx, session, passwordHash, now);
            },
          );
    if (!isChanged) throw wrongCode();
    await publishSessionEnd(session.userId);
  }

  /** Returns what would be lost with the account, and whom to ask for the unused part of what was paid. */
  async contents({ userId }: Session) {
    const { ownedResources, mail } = this.context;
    const [totals, paid_credit] = await Promise.all([
      ownedResources.totals(userId),
      ownedResources.paidCredit(userId),
    ]);
    const contact = addressOfSender(mail.from);
    return { empty: totals.buckets === 0, ...totals, paid_credit, contact };
  }

  /**
   * Disables the account and adds the job that deletes its data. Throws wrong-code, conflict.
   */
  async deleteAccount(session: Session, code: number, client: Client) {
    const { queue, ownedResources, publishSessionEnd } = this.context;
    this.confirmation.refuseAdmin(session);
    const confirmed = { purpose: 'delete-account' as const, emailKey: session.emailKey, code };
    const isDeleted = await this.confirmation.confirm(session, client, confirmed, async (tx) => {
      await startAccountDeletion(this.context, tx, session.userId, { userId: session.userId });
      return true;
    });
    if (!isDeleted) throw wrongCode();
    queue.wake('delete-account');
    // Without this, delivery would go on until the job starts.
    await ownedResources.refresh(session.userId);
    await publishSessionEnd(session.userId);
  }

  /** Lists where the account is logged in, the session seen last first. */
  async listSessions(session: Session) {
    const { database, clock } = this.context;
    const rows = await sessionStore.listSessions(database.db, session.userId, clock());
    return rows.map((row) => ({
      id: row.id,
      device: row.device,
      address: row.address,
      country: row.country,
      date: new Date(row.created_at).toISOString(),
      last_seen: new Date(row.last_seen_at).toISOString(),
      current: row.id === session.sessionId,
    }));
  }

  /** Lists the latest logins of the account, also those whose sessions have ended, newest first. */
  async listLogins(session: Session) {
    const { database, clock } = this.context;
    const rows = await sessionStore.newestSessions(database.db, session.userId, MAX_LOGINS);
    const now = clock();
    return rows.map((row) => toLogin(row, session.sessionId, now));
  }

  /** Ends one session of the account. Throws not-found. */
  async endSession(session: Session, id: string) {
    const { database, clock, publishSessionEnd } = this.context;
    await database.transaction(async (tx) => {
      const now = clock();
      if (!(await sessionStore.revokeSession(tx, session.userId, id, now)))
        throw notFound('Session');
      await recordAudit(tx, now, 'ended-session', session.userId);
    });
    await publishSessionEnd(session.userId);
  }

  /** Ends all sessions of the account but this one. */
  async endOtherSessions(session: Session) {
    const { database, clock, publishSessionEnd } = this.context;
    await database.transaction(async (tx) => {
      const now = clock();
      await sessionStore.revokeSessions(tx, session.userId, session.sessionId, now);
      await recordAudit(tx, now, 'ended-other-sessions', session.userId);
    });
    await publishSessionEnd(session.userId);
  }
}

/** Replaces the password of a session's user, and ends the other sessions of the user. */
async function changePassword(tx: Tx, session: Session, passwordHash: string, now: number) {
  const { userId: id, sessionId: keptSessionId } = session;
  await replacePassword(tx, { id, passwordHash, keptSessionId }, 'changed-password', now);
  return true;
}

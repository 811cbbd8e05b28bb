import { MINUTE } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import type { AccountContext } from '../context.ts';
import { accountBanned, wrongCode } from '../errors.ts';
import type { Session } from '../sessions/sessions.ts';
import type { EmailConfirmation } from '../sign-in/email-confirmation.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import * as store from '../store.ts';
import { startAccountDeletion } from './account-deletion.ts';
import * as profile from './profile-store.ts';

/** What a logged-in user confirms with a code to the account's own address. */
export type ConfirmedPurpose = 'change-password' | 'delete-account' | 'delete-bucket';

/** After a recovery the password may be changed without another code. */
const RECOVERY_GRACE = 10 * MINUTE;

/** What users do with their own account. */
export function createProfile(context: AccountContext, confirming: EmailConfirmation) {
  const { database, clock, queue, belongings, tellEnded } = context;
  const { db } = database;
  const { request, confirm, refuseAdmin } = confirming;

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
        await recordAudit(tx, now, 'changed-password', session.userId);
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

    /** From here on the account can do nothing; a job wipes it. Throws wrong-code, banned, conflict. */
    async deleteAccount(session: Session, code: number, client: Client) {
      refuseAdmin(session);
      const asked = { purpose: 'delete-account' as const, emailKey: session.emailKey, code };
      const deleted = await confirm(session, client, asked, async (tx) => {
        // A ban that came first ended this session.
        const user = await profile.holdUser(tx, session.userId);
        if (user?.status === 'banned') throw accountBanned();
        await startAccountDeletion(context, tx, session.userId, { userId: session.userId });
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
        await recordAudit(tx, now, 'ended-session', session.userId);
      });
      await tellEnded(session.userId);
    },

    async endOtherSessions(session: Session) {
      await database.transaction(async (tx) => {
        const now = clock();
        await store.revokeSessions(tx, session.userId, session.sessionId, now);
        await recordAudit(tx, now, 'ended-other-sessions', session.userId);
      });
      await tellEnded(session.userId);
    },
  };
}

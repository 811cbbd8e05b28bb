import { randomBytes } from 'node:crypto';
import { HOUR } from '../../../contract/limits.ts';
import { gone } from '../../../errors.ts';
import { newId } from '../../../platform/ids.ts';
import { mac } from '../../../platform/secrets/mac.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import { type AccountContext, addressOf } from '../context.ts';
import { wrongCode } from '../errors.ts';
import { addressChangedMail } from '../mails/mails.ts';
import type { Session } from '../sessions/sessions.ts';
import type { EmailConfirmation } from '../sign-in/email-confirmation.ts';
import * as store from '../store.ts';
import * as profile from './profile-store.ts';

const UNDO_LIFE = 72 * HOUR;

/** Another address for an account, and the way back. */
export function createEmailChange(context: AccountContext, confirming: EmailConfirmation) {
  const { database, clock, queue, post, appUrl, undoKey, sessions, tellEnded } = context;
  const { request, confirm, refuseAdmin } = confirming;
  const { db } = database;

  return {
    /** Mails a code to the address that the account is to have. Throws bad-email, too-many. */
    async requestEmailChange(session: Session, newEmail: string, client: Client) {
      refuseAdmin(session);
      const address = addressOf(newEmail);
      const taken =
        sessions.isAdmin(address.emailKey) ||
        (address.emailKey !== session.emailKey &&
          (await profile.isAddressTaken(db, address.emailKey, clock(), session.userId)));
      await request(session, client, { ...address, purpose: 'change-email', isDead: taken });
    },

    /** Moves the account to the address that the code came to, and tells the old one. Throws wrong-code. */
    async changeEmail(session: Session, form: { email: string; code: number }, client: Client) {
      refuseAdmin(session);
      const { emailKey } = addressOf(form.email);
      const asked = { purpose: 'change-email' as const, emailKey, code: form.code };
      const changed = await confirm(session, client, asked, async (tx, challenge, now) => {
        const isOwn = emailKey === session.emailKey;
        if (!isOwn && (await profile.isAddressTaken(tx, emailKey, now, session.userId)))
          return null;
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
        await recordAudit(tx, now, 'changed-email', session.userId);
        const undoUrl = `${appUrl}/undo-email-change?token=${undo}`;
        await post(tx, await addressChangedMail(session.email, challenge.email, undoUrl));
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
        // Its 72 hours may have been over for whoever took the address.
        const holder = await store.userByEmail(tx, change.old_key);
        if (holder && holder.id !== user.id) return null;
        await profile.closeLaterChanges(tx, change, now);
        await profile.setEmail(tx, user.id, { email: change.old_email, emailKey: change.old_key });
        await store.revokeSessions(tx, user.id, null, now);
        await recordAudit(tx, now, 'undid-email-change', user.id);
        return { userId: user.id, email: change.old_email };
      });
      if (!undone) throw gone('This link has been used, or is older than 72 hours.');
      await tellEnded(undone.userId);
      return { email: undone.email };
    },
  };
}

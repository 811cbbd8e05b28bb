import { randomBytes } from 'node:crypto';
import { HOUR } from '../../../contract/limits.ts';
import { gone } from '../../../errors.ts';
import { insertFormerAddress } from '../../../platform/audit/store.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { mac, macs } from '../../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import { type AccountContext, type Address, addressOf } from '../context.ts';
import { wrongCode } from '../errors.ts';
import { addressChangedMail } from '../mails/mails.ts';
import * as sessionStore from '../sessions/session-store.ts';
import type { Session } from '../sessions/sessions.ts';
import type { EmailConfirmation } from '../sign-in/email-confirmation.ts';
import * as store from '../store.ts';
import { deleteTrustedBrowsersOf } from '../trusted-browsers/trusted-browsers-store.ts';

const UNDO_TTL_MS = 72 * HOUR;

/** Changes the address of an account, and undoes such a change. */
export class EmailChange {
  constructor(
    private readonly context: AccountContext,
    private readonly confirmation: EmailConfirmation,
  ) {}

  /** Mails a code to the address that the account is to have. Throws bad-email, too-many. */
  async requestEmailChange(session: Session, newEmail: string, client: Client) {
    const { database, clock, sessions } = this.context;
    this.confirmation.refuseAdmin(session);
    const address = addressOf(newEmail);
    const { emailKey } = address;
    const isTaken =
      sessions.isAdmin(emailKey) ||
      (emailKey !== session.emailKey &&
        (await store.isAddressTaken(database.db, emailKey, clock(), session.userId)));
    await this.confirmation.request(session, client, {
      ...address,
      purpose: 'change-email',
      isDecoy: isTaken,
    });
  }

  /**
   * Moves the account to the address that the code was mailed to, and informs the old one. Throws
   * wrong-code.
   */
  async changeEmail(session: Session, form: { email: string; code: number }, client: Client) {
    this.confirmation.refuseAdmin(session);
    const { emailKey } = addressOf(form.email);
    const confirmed = { purpose: 'change-email' as const, emailKey, code: form.code };
    const isChanged = await this.confirmation.confirm(
      session,
      client,
      confirmed,
      async (tx, challenge, now) => {
        const isOwn = emailKey === session.emailKey;
        if (!isOwn && (await store.isAddressTaken(tx, emailKey, now, session.userId))) return null;
        await this.move(tx, session, { email: challenge.email, emailKey }, now);
        return true;
      },
    );
    this.context.queue.wake('mail');
    if (!isChanged) throw wrongCode();
  }

  /** Gives the account its old address back and ends every session. Throws gone. */
  async undoEmailChange(token: string): Promise<{ email: string }> {
    const { database, clock, publishSessionEnd } = this.context;
    const restored = await database.transaction((tx) => this.restore(tx, token, clock()));
    if (!restored) throw gone('This link has expired or was already used.');
    await publishSessionEnd(restored.userId);
    return { email: restored.email };
  }

  private async move(tx: Tx, session: Session, address: Address, now: number) {
    const { undoKeys, appUrl, enqueueMail } = this.context;
    const [undoKey] = undoKeys;
    const undo = randomBytes(32).toString('base64url');
    await store.insertEmailChange(tx, {
      id: newId(now),
      user_id: session.userId,
      old_email: session.email,
      old_key: session.emailKey,
      undo_mac: mac(undoKey, undo),
      created_at: now,
      expires_at: now + UNDO_TTL_MS,
      closed_at: null,
    });
    await insertFormerAddress(tx, { user_id: session.userId, email: session.email, until: now });
    await store.setEmail(tx, session.userId, address);
    // The code that a trusted browser doesn't ask for went to the old address.
    await deleteTrustedBrowsersOf(tx, session.userId);
    await recordAudit(tx, now, 'changed-email', session.userId);
    const undoUrl = `${appUrl}/undo-email-change?token=${undo}`;
    const mail = addressChangedMail(session.email, address.email, undoUrl);
    await enqueueMail(tx, { ...mail, isNotice: true });
  }

  private async restore(tx: Tx, token: string, now: number) {
    const change = await store.closeEmailChange(tx, macs(this.context.undoKeys, token), now);
    if (!change) return null;
    const user = await store.lockUser(tx, change.user_id);
    if (user?.status !== 'active') return null;
    // A process whose clock is ahead may have regarded the 72 hours as over and let somebody else
    // take the address.
    const holder = await store.userByEmail(tx, change.old_key);
    if (holder && holder.id !== user.id) return null;
    await store.closeLaterChanges(tx, change, now);
    await insertFormerAddress(tx, { user_id: user.id, email: user.email, until: now });
    await store.setEmail(tx, user.id, { email: change.old_email, emailKey: change.old_key });
    await sessionStore.revokeSessions(tx, user.id, null, now);
    await recordAudit(tx, now, 'undid-email-change', user.id);
    return { userId: user.id, email: change.old_email };
  }
}

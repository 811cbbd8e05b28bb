import { conflict, forbidden, notFound } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import { can } from '../../access/can.ts';
import { sessionPrincipal } from '../../access/principal.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { accountBeingDeleted } from '../errors.ts';
import { startAccountDeletion } from '../profile/account-deletion.ts';
import type { Session } from '../sessions/sessions.ts';
import { lockUser, setStorageLimit, userByEmail } from '../store.ts';
import { AccountBans, lockOtherUser } from './account-bans.ts';

/** Bans and deletes accounts for the admin. */
export class Moderation {
  private readonly bans: AccountBans;

  constructor(private readonly context: AccountContext) {
    const { database, clock } = context;
    this.bans = new AccountBans({
      database,
      clock,
      isAdmin: (emailKey) => context.sessions.isAdmin(emailKey),
      publishChange: (userId) => this.publishChange(userId),
    });
  }

  /** Bans an account. Throws not-found, forbidden, conflict. */
  async banUser(admin: Session, userId: string): Promise<void> {
    await this.bans.ban(userId, actorOf(admin));
  }

  /** Lifts the ban of an account. Throws not-found, forbidden, conflict. */
  async unbanUser(admin: Session, userId: string): Promise<void> {
    await this.bans.unban(userId, actorOf(admin));
  }

  /**
   * Deletes the account as its owner could. `email` is its address, to show that no other is meant.
   * Throws not-found, forbidden, conflict.
   */
  async deleteUser(admin: Session, userId: string, email: string): Promise<void> {
    const { database, queue, sessions } = this.context;
    const actor = actorOf(admin);
    const isAdmin = (emailKey: string) => sessions.isAdmin(emailKey);
    await database.transaction(async (tx) => {
      const user = await lockOtherUser(tx, userId, { actor, isAdmin });
      if (user.email_key !== addressKey(email))
        throw conflict("The email address doesn't match this account.");
      await startAccountDeletion(this.context, tx, userId, actor);
    });
    queue.wake('delete-account');
    await this.publishChange(userId);
  }

  /**
   * Sets how many bytes an account may store; null means as many as others. What it stores beyond
   * that stays. Throws not-found, conflict.
   */
  async setStorageLimit(admin: Session, userId: string, maxBytes: number | null): Promise<void> {
    const { database, clock } = this.context;
    const actor = actorOf(admin);
    await database.transaction(async (tx) => {
      const user = await lockUser(tx, userId);
      if (!user) throw notFound('User');
      if (user.status === 'deleting') throw accountBeingDeleted();
      if (user.max_bytes === maxBytes) return;
      await setStorageLimit(tx, userId, maxBytes);
      const details = { before: user.max_bytes, bytes: maxBytes };
      await recordAudit(tx, clock(), 'changed-storage-limit', userId, actor, details);
    });
  }

  private async publishChange(userId: string): Promise<void> {
    await this.context.ownedResources.refresh(userId);
    await this.context.publishSessionEnd(userId);
  }
}

/** Returns the admin as the actor of an audit entry. Throws forbidden for any other user. */
function actorOf(session: Session) {
  if (can(sessionPrincipal(session), 'administer', null))
    throw forbidden('Only the admin may do this.');
  return { userId: session.userId };
}

/** Returns the id of the account that has an address; null where none has. */
export async function accountOf(db: Executor, address: string): Promise<string | null> {
  return (await userByEmail(db, addressKey(address)))?.id ?? null;
}

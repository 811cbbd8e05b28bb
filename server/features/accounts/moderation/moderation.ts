import { conflict, forbidden, notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { UserRow } from '../../../platform/db/tables.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { accountBeingDeleted } from '../errors.ts';
import { startAccountDeletion } from '../profile/account-deletion.ts';
import * as sessionStore from '../sessions/session-store.ts';
import type { Session } from '../sessions/sessions.ts';
import * as store from '../store.ts';

/** What the admin does to accounts of others. */
export class Moderation {
  constructor(private readonly context: AccountContext) {}

  /**
   * Bans an account: its sessions end, and its keys, tokens and deliveries stop. Throws not-found,
   * forbidden, conflict.
   */
  async banUser(admin: Session, userId: string): Promise<void> {
    const { database, clock } = this.context;
    await database.transaction(async (tx) => {
      const { status } = await this.lockOtherUser(tx, admin, userId);
      if (status === 'banned') throw conflict('The account is banned already.');
      const now = clock();
      await store.setStatus(tx, userId, 'banned');
      await sessionStore.revokeSessions(tx, userId, null, now);
      await recordAudit(tx, now, 'banned', userId, { userId: admin.userId });
    });
    await this.publishChange(userId);
  }

  /**
   * Lets the user of a banned account log in again; the sessions that the ban ended stay ended.
   * Throws not-found, forbidden, conflict.
   */
  async unbanUser(admin: Session, userId: string): Promise<void> {
    const { database, clock } = this.context;
    await database.transaction(async (tx) => {
      const { status } = await this.lockOtherUser(tx, admin, userId);
      if (status !== 'banned') throw conflict('The account is not banned.');
      await store.setStatus(tx, userId, 'active');
      await recordAudit(tx, clock(), 'unbanned', userId, { userId: admin.userId });
    });
    await this.publishChange(userId);
  }

  /**
   * Deletes the account as its owner could. `email` is its address, to show that no other is meant.
   * Throws not-found, forbidden, conflict.
   */
  async deleteUser(admin: Session, userId: string, email: string): Promise<void> {
    const { database, queue } = this.context;
    await database.transaction(async (tx) => {
      const user = await this.lockOtherUser(tx, admin, userId);
      if (user.email !== email) throw conflict('This is not the address of the account.');
      await startAccountDeletion(this.context, tx, userId, { userId: admin.userId });
    });
    queue.wake();
    await this.publishChange(userId);
  }

  /** Locks and returns the account that is to be changed. Throws not-found, forbidden, conflict. */
  private async lockOtherUser(tx: Tx, admin: Session, userId: string): Promise<UserRow> {
    if (!admin.isAdmin) throw forbidden('Only the admin may do this.');
    const user = await store.lockUser(tx, userId);
    if (!user) throw notFound('User');
    if (user.id === admin.userId || this.context.sessions.isAdmin(user.email_key)) {
      throw forbidden("The admin's own account can't be banned or deleted.");
    }
    if (user.status === 'deleting') throw accountBeingDeleted();
    return user;
  }

  private async publishChange(userId: string) {
    await this.context.ownedResources.refresh(userId);
    await this.context.publishSessionEnd(userId);
  }
}

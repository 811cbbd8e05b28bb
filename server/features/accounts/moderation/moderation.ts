import { conflict, forbidden, notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { UserRow } from '../../../platform/db/tables.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { accountBeingDeleted } from '../errors.ts';
import { startAccountDeletion } from '../profile/account-deletion.ts';
import * as profile from '../profile/profile-store.ts';
import type { Session } from '../sessions/sessions.ts';
import * as store from '../store.ts';

/** What the admin does to accounts of others. */
export function createModeration(context: AccountContext) {
  const { database, clock, queue, sessions, belongings, tellEnded } = context;

  /** The account that is to be changed, held. Throws not-found, forbidden, conflict. */
  const others = async (tx: Tx, admin: Session, userId: string): Promise<UserRow> => {
    if (!admin.isAdmin) throw forbidden('Only the admin may do this.');
    const user = await profile.holdUser(tx, userId);
    if (!user) throw notFound('User');
    if (user.id === admin.userId || sessions.isAdmin(user.email_key)) {
      throw forbidden("The admin's own account can't be banned or deleted.");
    }
    if (user.status === 'deleting') throw accountBeingDeleted();
    return user;
  };

  const changed = async (userId: string) => {
    await belongings.refresh(userId);
    await tellEnded(userId);
  };

  return {
    /** Sessions end, keys and tokens stop, and so does delivery. Throws not-found, forbidden, conflict. */
    async banUser(admin: Session, userId: string): Promise<void> {
      await database.transaction(async (tx) => {
        const { status } = await others(tx, admin, userId);
        if (status === 'banned') throw conflict('The account is banned already.');
        const now = clock();
        await profile.setStatus(tx, userId, 'banned');
        await store.revokeSessions(tx, userId, null, now);
        await recordAudit(tx, now, 'banned', userId, { userId: admin.userId });
      });
      await changed(userId);
    },

    /** The user may log in again; the ended sessions stay ended. Throws not-found, forbidden, conflict. */
    async unbanUser(admin: Session, userId: string): Promise<void> {
      await database.transaction(async (tx) => {
        const { status } = await others(tx, admin, userId);
        if (status !== 'banned') throw conflict('The account is not banned.');
        await profile.setStatus(tx, userId, 'active');
        await recordAudit(tx, clock(), 'unbanned', userId, { userId: admin.userId });
      });
      await changed(userId);
    },

    /**
     * Wipes the account as its owner could. `email` is its address, to show that no other is meant.
     * Throws not-found, forbidden, conflict.
     */
    async deleteUser(admin: Session, userId: string, email: string): Promise<void> {
      await database.transaction(async (tx) => {
        const user = await others(tx, admin, userId);
        if (user.email !== email) throw conflict('This is not the address of the account.');
        await startAccountDeletion(context, tx, userId, { userId: admin.userId });
      });
      queue.wake();
      await changed(userId);
    },
  };
}

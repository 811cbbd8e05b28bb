import { conflict, forbidden } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import type { AccountContext } from '../context.ts';
import { startAccountDeletion } from '../profile/account-deletion.ts';
import type { Session } from '../sessions/sessions.ts';
import { userByEmail } from '../store.ts';
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
      if (user.email !== email) throw conflict("The email address doesn't match this account.");
      await startAccountDeletion(this.context, tx, userId, actor);
    });
    queue.wake();
    await this.publishChange(userId);
  }

  private async publishChange(userId: string): Promise<void> {
    await this.context.ownedResources.refresh(userId);
    await this.context.publishSessionEnd(userId);
  }
}

/** Returns the admin as the actor of an audit entry. Throws forbidden for any other user. */
function actorOf(session: Session) {
  if (!session.isAdmin) throw forbidden('Only the admin may do this.');
  return { userId: session.userId };
}

/** Returns the id of the account that has an address; null where none has. */
export async function accountOf(db: Executor, address: string): Promise<string | null> {
  return (await userByEmail(db, addressKey(address)))?.id ?? null;
}

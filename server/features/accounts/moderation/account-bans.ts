import { conflict, forbidden, notFound } from '../../../errors.ts';
import { type Actor, userOf } from '../../../platform/audit/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { recordAudit } from '../audit.ts';
import { accountBeingDeleted } from '../errors.ts';
import { revokeSessions } from '../sessions/session-store.ts';
import { lockUser, setStatus } from '../store.ts';
import type { UserRow } from '../tables.ts';

type Deps = {
  database: Database;
  clock: Clock;
  /** Whether an address, by its key, is the admin's. */
  isAdmin: (emailKey: string) => boolean;
  /**
   * Called after the commit: every cache reads the account again, and its open sockets are checked.
   */
  publishChange: (userId: string) => Promise<void>;
};

/** Bans accounts, for the admin and for an operator at the command line. */
export class AccountBans {
  constructor(private readonly deps: Deps) {}

  /**
   * Bans an account: its sessions end, and its keys, tokens and deliveries stop. Throws not-found,
   * forbidden, conflict.
   */
  ban(userId: string, actor: Actor): Promise<void> {
    return this.change(userId, actor, async (tx, { status }) => {
      if (status === 'banned') throw conflict('This account is already banned.');
      const now = this.deps.clock();
      await setStatus(tx, userId, { status: 'banned', banned_at: now });
      await revokeSessions(tx, userId, null, now);
      await recordAudit(tx, now, 'banned', userId, actor);
    });
  }

  /**
   * Lets the user of a banned account log in again; the sessions that the ban ended stay ended.
   * Throws not-found, forbidden, conflict.
   */
  unban(userId: string, actor: Actor): Promise<void> {
    return this.change(userId, actor, async (tx, { status }) => {
      if (status !== 'banned') throw conflict("This account isn't banned.");
      await setStatus(tx, userId, { status: 'active', banned_at: null });
      await recordAudit(tx, this.deps.clock(), 'unbanned', userId, actor);
    });
  }

  private async change(
    userId: string,
    actor: Actor,
    work: (tx: Tx, user: UserRow) => Promise<void>,
  ): Promise<void> {
    const { database, isAdmin, publishChange } = this.deps;
    await database.transaction(async (tx) => {
      await work(tx, await lockOtherUser(tx, userId, { actor, isAdmin }));
    });
    await publishChange(userId);
  }
}

/**
 * Locks and returns the account that somebody else is to ban or delete. Throws not-found, conflict,
 * and forbidden for the admin's account.
 */
export async function lockOtherUser(
  tx: Tx,
  userId: string,
  { actor, isAdmin }: { actor: Actor; isAdmin: Deps['isAdmin'] },
): Promise<UserRow> {
  const user = await lockUser(tx, userId);
  if (!user) throw notFound('User');
  if (userOf(actor) === user.id || isAdmin(user.email_key)) {
    throw forbidden("The admin's own account can't be banned or deleted.");
  }
  if (user.status === 'deleting') throw accountBeingDeleted();
  return user;
}

import { PASSWORD_MAX, PASSWORD_MIN } from '../../../contract/limits.ts';
import { conflict, forbidden, invalid } from '../../../errors.ts';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { UserRow } from '../../../platform/db/tables.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import { recordAudit } from '../audit.ts';
import { accountBeingDeleted } from '../errors.ts';
import { revokeSessions } from '../sessions/session-store.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { lockUser, setPassword, setStatus, userByEmail } from '../store.ts';

/*
 * The commands that an operator runs beside the server. They change the database alone; the server
 * notices within seconds, as its caches of an account live no longer.
 */

/** Returns the id of the account that has an address; null where none has. */
export async function accountOf(db: Executor, address: string): Promise<string | null> {
  return (await userByEmail(db, addressKey(address)))?.id ?? null;
}

/**
 * Sets an account's password and ends all its sessions. Returns false where no account has the address.
 * Throws invalid for a password that is too short or too long.
 */
export async function resetPassword(
  database: Database,
  address: string,
  password: string,
  now: number,
): Promise<boolean> {
  if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX) {
    throw invalid(`A password has ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  const hash = await hashPassword(password);
  return withAccount(database, address, async (tx, { id }) => {
    await setPassword(tx, id, hash);
    await revokeSessions(tx, id, null, now);
    await recordAudit(tx, now, 'reset-password', id, 'system');
  });
}

/**
 * Bans or unbans an account. Returns false where no account has the address. Throws forbidden for the
 * admin's own account, conflict where it already has that status or is being deleted.
 */
export async function setBanned(
  database: Database,
  address: string,
  isBanned: boolean,
  { now, adminEmail }: { now: number; adminEmail: string | null },
): Promise<boolean> {
  return withAccount(database, address, async (tx, user) => {
    if (adminEmail && user.email_key === addressKey(adminEmail)) {
      throw forbidden("The admin's own account can't be banned.");
    }
    if (user.status === 'deleting') throw accountBeingDeleted();
    if ((user.status === 'banned') === isBanned) {
      throw conflict(isBanned ? 'The account is banned already.' : 'The account is not banned.');
    }
    await setStatus(tx, user.id, isBanned ? 'banned' : 'active');
    if (isBanned) await revokeSessions(tx, user.id, null, now);
    await recordAudit(tx, now, isBanned ? 'banned' : 'unbanned', user.id, 'system');
  });
}

function withAccount(
  database: Database,
  address: string,
  work: (tx: Tx, user: UserRow) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const found = await userByEmail(tx, addressKey(address));
    const user = found && (await lockUser(tx, found.id));
    if (user) await work(tx, user);
    return user !== undefined;
  });
}

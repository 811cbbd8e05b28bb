import { PASSWORD_MAX, PASSWORD_MIN } from '../../../contract/limits.ts';
import { invalid } from '../../../errors.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import { recordAudit } from '../audit.ts';
import { revokeSessions } from '../sessions/session-store.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { lockUser, setPassword, userByEmail } from '../store.ts';

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
    throw invalid(`The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  const hash = await hashPassword(password);
  return database.transaction(async (tx) => {
    const found = await accountOf(tx, address);
    const user = found && (await lockUser(tx, found));
    if (!user) return false;
    await setPassword(tx, user.id, hash);
    await revokeSessions(tx, user.id, null, now);
    await recordAudit(tx, now, 'reset-password', user.id, 'system');
    return true;
  });
}

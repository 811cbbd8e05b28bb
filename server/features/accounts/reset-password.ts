import { PASSWORD_MAX, PASSWORD_MIN } from '../../contract/limits.ts';
import { invalid } from '../../errors.ts';
import type { Database, Executor } from '../../platform/db/port.ts';
import { addressKey } from '../../platform/mail/address.ts';
import { hashPassword } from './passwords.ts';
import { setPassword } from './profile-store.ts';
import { revokeSessions, userByEmail } from './store.ts';

/**
 * Sets an account's password, by an operator, and ends all its sessions. False where no account has
 * the address. Throws invalid for a password that is too short or too long.
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
  return database.transaction(async (tx) => {
    const user = await userByEmail(tx, addressKey(address));
    if (!user) return false;
    await setPassword(tx, user.id, hash);
    await revokeSessions(tx, user.id, null, now);
    return true;
  });
}

/** The id of the account that has an address; null where none has. */
export async function accountOf(db: Executor, address: string): Promise<string | null> {
  return (await userByEmail(db, addressKey(address)))?.id ?? null;
}

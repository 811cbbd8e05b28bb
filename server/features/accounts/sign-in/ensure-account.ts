import { randomBytes } from 'node:crypto';
import { newId } from '../../../platform/ids.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { insertUser, isAddressTaken, userByEmail } from '../store.ts';
import type { UserRow } from '../tables.ts';
import { hashPassword } from './passwords.ts';

/**
 * Returns the id of the account of an address, which is created where there is none; null where it is banned or being
 * deleted, or the address is kept for another account. Nobody knows the password of a new one: its owner sets one with a code that is sent to the address.
 */
export async function ensureAccount(
  { database, clock, onSignup }: Pick<AccountContext, 'database' | 'clock' | 'onSignup'>,
  email: string,
): Promise<string | null> {
  const emailKey = addressKey(email);
  const existing = await userByEmail(database.db, emailKey);
  if (existing) return existing.status === 'active' ? existing.id : null;
  const now = clock();
  const user: UserRow = {
    ...{ id: newId(now), email, email_key: emailKey },
    password_hash: await hashPassword(randomBytes(32).toString('base64url')),
    ...{ status: 'active', banned_at: null, max_bytes: null, created_at: now },
  };
  return database.transaction(async (tx) => {
    // The address may be kept for the account that had it.
    if (await isAddressTaken(tx, emailKey, now)) return null;
    if (!(await insertUser(tx, user))) return null;
    await onSignup(tx, user, now);
    await recordAudit(tx, now, 'signed-up', user.id, 'system');
    return user.id;
  });
}

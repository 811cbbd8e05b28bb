import { availableParallelism } from 'node:os';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../../contract/limits.ts';
import { memoizeAsync } from '../../../contract/memoize.ts';
import { invalid } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { addressKey } from '../../../platform/mail/address.ts';
import { createSlots } from '../../../platform/slots.ts';
import { recordAudit } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { commonPassword } from '../errors.ts';
import { revokeSessions } from '../sessions/session-store.ts';
import { lockUserByEmail, setPassword } from '../store.ts';

/** The parameters that OWASP recommends for argon2id: 19 MiB, two passes. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/**
 * Hashing shares the thread pool with file reads, so many logins at the same time would delay
 * deliveries. One thread stays free where there are at least two.
 */
const runInSlot = createSlots(
  Math.max(1, availableParallelism() - 1),
  'Too many people are logging in right now. Try again in a moment.',
);

/**
 * Checks a password that somebody chooses. Mozilla's list has the commonest passwords of eight or
 * more characters, in lower case, among them all of the commonest 100,000. It takes 3 MiB and a
 * tenth of a second to load, so only the first new password loads it. Throws invalid,
 * common-password.
 */
export async function validateNewPassword(password: string): Promise<void> {
  if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX) {
    throw invalid(`The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
  }
  const commonPasswords = await import('fxa-common-password-list');
  if (commonPasswords.test(password.toLowerCase())) throw commonPassword();
}

/** Hashes a password with argon2id. Throws unavailable where too many wait. */
export const hashPassword = (password: string): Promise<string> =>
  runInSlot(() => Bun.password.hash(password, COST));

/** Returns the hash of a random password, for comparisons where there is no account. */
const decoyHash = memoizeAsync(() => hashPassword(crypto.randomUUID()));

/**
 * Returns whether the password matches the hash. Without a hash it takes as long and returns false,
 * so that the time does not tell whether an address has an account. Throws unavailable where too
 * many wait.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const decoy = await decoyHash();
  const isRight = await runInSlot(() => Bun.password.verify(password, hash ?? decoy));
  return isRight && hash !== undefined;
}

/**
 * Replaces a user's password and ends the user's sessions but `keptSessionId`. The caller publishes
 * the end of the sessions after the commit.
 */
export async function replacePassword(
  tx: Tx,
  user: { id: string; passwordHash: string; keptSessionId: string | null },
  action: 'changed-password' | 'reset-password',
  now: number,
): Promise<void> {
  await setPassword(tx, user.id, user.passwordHash);
  await revokeSessions(tx, user.id, user.keptSessionId, now);
  await recordAudit(
    tx,
    now,
    action,
    user.id,
    action === 'reset-password' ? 'system' : { userId: user.id },
  );
}

/**
 * Sets the password of the account that has an address, for an operator, and ends all its sessions.
 * Returns false where no account has the address. Throws invalid, common-password.
 */
export async function resetPassword(
  context: Pick<AccountContext, 'database' | 'clock' | 'publishSessionEnd'>,
  address: string,
  password: string,
): Promise<boolean> {
  await validateNewPassword(password);
  const passwordHash = await hashPassword(password);
  const userId = await context.database.transaction(async (tx) => {
    const user = await lockUserByEmail(tx, addressKey(address));
    if (!user) return null;
    const change = { id: user.id, passwordHash, keptSessionId: null };
    await replacePassword(tx, change, 'reset-password', context.clock());
    return user.id;
  });
  if (userId !== null) await context.publishSessionEnd(userId);
  return userId !== null;
}

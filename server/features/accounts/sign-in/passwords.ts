import { availableParallelism } from 'node:os';
import { createSlots } from '../../../platform/slots.ts';

/** The parameters that OWASP recommends for argon2id: 19 MiB, two passes. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/**
 * Hashing shares the thread pool with file reads, so many logins at once would delay deliveries.
 * One thread stays free where there are at least two.
 */
const runInSlot = createSlots(
  Math.max(1, availableParallelism() - 1),
  'Too many people are logging in right now. Try again in a moment.',
);

/** The hash of a random password, for comparisons where there is no account. */
let decoyHash: Promise<string> | undefined;

/** Hashes a password with argon2id. Throws unavailable where too many wait. */
export const hashPassword = (password: string): Promise<string> =>
  runInSlot(() => Bun.password.hash(password, COST));

/**
 * Returns whether the password matches the hash. Without a hash it takes as long and returns false,
 * so that the time does not tell whether an address has an account. Throws unavailable where too
 * many wait.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  decoyHash ??= hashPassword(crypto.randomUUID());
  const decoy = await decoyHash;
  const isRight = await runInSlot(() => Bun.password.verify(password, hash ?? decoy));
  return isRight && hash !== undefined;
}

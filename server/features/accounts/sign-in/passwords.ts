import { availableParallelism } from 'node:os';
import { createSlots } from '../../../platform/slots.ts';

/** OWASP's figures for argon2id: 19 MiB, two passes. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/**
 * Hashing runs where files are read: whoever sends many logins at once would have deliveries wait
 * behind them all. So one thread stays free, where there are two.
 */
const inTurn = createSlots(
  Math.max(1, availableParallelism() - 1),
  'Too many people log in at once. Try again soon.',
);

let nobodys: Promise<string> | undefined;

/** Throws unavailable where too many wait. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => Bun.password.hash(password, COST));

/**
 * Whether the password is the one of the hash. Without a hash it takes as long and is never
 * right, so that the time does not tell whether an address has an account. Throws unavailable where
 * too many wait.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  nobodys ??= hashPassword(crypto.randomUUID());
  const other = await nobodys;
  const right = await inTurn(() => Bun.password.verify(password, hash ?? other));
  return right && hash !== undefined;
}

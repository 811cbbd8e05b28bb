/** OWASP's figures for argon2id: 19 MiB, two passes. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

let nobodys: Promise<string> | undefined;

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, COST);

/**
 * Whether the password is the one of the hash. Without a hash it takes as long and is never
 * right, so that the time does not tell whether an address has an account.
 */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  nobodys ??= hashPassword(crypto.randomUUID());
  const right = await Bun.password.verify(password, hash ?? (await nobodys));
  return right && hash !== undefined;
}

import { randomInt } from 'node:crypto';
import { CODE_LIFE, CODE_TRIES } from '../../contract/limits.ts';
import type { Tx } from '../../platform/db/port.ts';
import type { ChallengeRow } from '../../platform/db/tables.ts';
import { newId } from '../../platform/ids.ts';
import { mac, sameMac } from '../../platform/secrets/mac.ts';
import * as store from './store.ts';

/** Codes are numbers of 6 digits: 100000 to 999999. */
export const randomCode = (): number => randomInt(100_000, 1_000_000);

export type NewChallenge = store.ChallengeOwner & {
  email: string;
  /** Of a pending signup; null where a right code must open nothing. */
  passwordHash: string | null;
  expiresAt: number;
};

/**
 * A challenge asks one browser for the code mailed to one address, for one purpose. All
 * three are in the code's MAC, so no code opens another's challenge.
 */
export function createChallenges(key: Uint8Array, drawCode: () => number) {
  const codeMac = (owner: store.ChallengeOwner, code: number) =>
    mac(key, owner.purpose, owner.emailKey, owner.browser, String(code));

  return {
    /** Opens a challenge in the place of the browser's earlier one. Returns the code to mail. */
    async open(tx: Tx, challenge: NewChallenge, now: number): Promise<number> {
      const code = drawCode();
      await store.closeOpenChallenges(tx, challenge, now);
      await store.insertChallenge(tx, {
        id: newId(now),
        purpose: challenge.purpose,
        email: challenge.email,
        email_key: challenge.emailKey,
        browser: challenge.browser,
        code_mac: codeMac(challenge, code),
        code_expires_at: now + CODE_LIFE,
        password_hash: challenge.passwordHash,
        created_at: now,
        expires_at: challenge.expiresAt,
      });
      return code;
    },

    /** Gives the open challenge a new code; the old one is dead. Null where none is open. */
    async renew(tx: Tx, owner: store.ChallengeOwner, now: number) {
      const code = drawCode();
      const challenge = await store.replaceCode(
        tx,
        owner,
        { mac: codeMac(owner, code), expiresAt: now + CODE_LIFE },
        now,
      );
      return challenge ? { code, challenge } : null;
    },

    /**
     * Spends the challenge when the code is right, counts a try when not. Returns null then:
     * the caller must commit either way, or the try is not counted.
     */
    async answer(
      tx: Tx,
      owner: store.ChallengeOwner,
      code: number,
      now: number,
    ): Promise<ChallengeRow | null> {
      const challenge = await store.countTry(tx, owner, CODE_TRIES, now);
      if (!challenge || !sameMac(challenge.code_mac, codeMac(owner, code))) return null;
      await store.closeChallenge(tx, challenge.id, now);
      return challenge;
    },
  };
}

import { randomInt } from 'node:crypto';
import { CODE_TRIES, CODE_TTL_MS } from '../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/port.ts';
import type { ChallengeRow } from '../../../platform/db/tables.ts';
import { newId } from '../../../platform/ids.ts';
import { mac, sameMac } from '../../../platform/secrets/mac.ts';
import * as store from '../store.ts';

/** Codes are numbers of 6 digits: 100000 to 999999. */
export const randomCode = (): number => randomInt(100_000, 1_000_000);

export type NewChallenge = store.ChallengeOwner & {
  email: string;
  /** Of a pending signup. */
  passwordHash?: string;
  /** Who asked, where somebody was logged in. */
  userId?: string;
  /** No code will open it: the address is taken, or nobody's. It looks like any other. */
  isDead?: boolean;
  expiresAt: number;
};

/** What no MAC equals. */
const NO_CODE = '';

export type IssuedCode = { code: number; challenge: ChallengeRow };

/**
 * A challenge asks one browser for the code mailed to one address, for one purpose. All
 * three are in the code's MAC, so no code opens another's challenge.
 */
export function createChallenges(key: Uint8Array, drawCode: () => number) {
  const codeMac = (owner: store.ChallengeOwner, code: number) =>
    mac(key, owner.purpose, owner.emailKey, owner.browser, String(code));

  return {
    /** Opens a challenge in the place of the browser's earlier one, with a code to mail. */
    async open(tx: Tx, wanted: NewChallenge, now: number): Promise<IssuedCode> {
      const code = drawCode();
      await store.closeOpenChallenges(tx, wanted, now);
      const challenge = await store.insertChallenge(tx, {
        id: newId(now),
        purpose: wanted.purpose,
        email: wanted.email,
        email_key: wanted.emailKey,
        browser: wanted.browser,
        code_mac: wanted.isDead ? NO_CODE : codeMac(wanted, code),
        code_expires_at: now + CODE_TTL_MS,
        tries: 0,
        password_hash: wanted.passwordHash ?? null,
        user_id: wanted.userId ?? null,
        mail_id: null,
        created_at: now,
        expires_at: wanted.expiresAt,
        closed_at: null,
      });
      return { code, challenge };
    },

    /** Gives the open challenge a new code; the old one is dead. Null where none is open. */
    async renew(tx: Tx, owner: store.ChallengeOwner, now: number): Promise<IssuedCode | null> {
      const open = await store.openChallenge(tx, owner, now);
      if (!open) return null;
      const code = drawCode();
      const isDead = open.code_mac === NO_CODE;
      const challenge = await store.replaceCode(tx, open.id, {
        mac: isDead ? NO_CODE : codeMac(owner, code),
        expiresAt: now + CODE_TTL_MS,
      });
      return { code, challenge };
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

/** Whether no code opens it; its mail says something else then. */
export const isDead = (challenge: ChallengeRow): boolean => challenge.code_mac === NO_CODE;

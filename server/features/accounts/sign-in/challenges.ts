import { randomInt } from 'node:crypto';
import { CODE_TRIES, CODE_TTL_MS } from '../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { mac, sameMac } from '../../../platform/secrets/secrets.ts';
import type { ChallengeRow } from '../tables.ts';
import * as challengeStore from './sign-in-store.ts';

/** Draws a code: a number of 6 digits, 100000 to 999999. */
export const randomCode = (): number => randomInt(100_000, 1_000_000);

export type NewChallenge = challengeStore.ChallengeOwner & {
  email: string;
  /** The hash of the password that a pending signup chose. */
  passwordHash?: string;
  /** The user who requested the code, if somebody was logged in. */
  userId?: string;
  /**
   * Whether no code opens the challenge, because the address is taken or has no account. Nothing
   * shows the difference to the browser.
   */
  isDecoy?: boolean;
  /** When the challenge expires, in epoch milliseconds. */
  expiresAt: number;
};

/** A stored value that no MAC equals; it marks a decoy. */
const NO_CODE = '';

export type IssuedCode = { code: number; challenge: ChallengeRow };

/** Whether no code opens the challenge, whose mail then has an explanation instead of a code. */
export const isDecoy = (challenge: ChallengeRow): boolean => challenge.code_mac === NO_CODE;

/**
 * A challenge asks one browser for the code mailed to one address, for one purpose, and where it
 * deletes a bucket, for that bucket. All of them are in the code's MAC, so no code opens another's
 * challenge.
 */
export class Challenges {
  constructor(
    private readonly key: Uint8Array,
    private readonly drawCode: () => number,
  ) {}

  /** Opens a challenge in the place of the browser's earlier one, with a code to mail. */
  async open(tx: Tx, request: NewChallenge, now: number): Promise<IssuedCode> {
    const code = this.drawCode();
    await challengeStore.closeOpenChallenge(tx, request, now);
    const challenge = await challengeStore.insertChallenge(tx, {
      id: newId(now),
      purpose: request.purpose,
      email: request.email,
      email_key: request.emailKey,
      browser: request.browser,
      code_mac: request.isDecoy ? NO_CODE : this.codeMac(request, code),
      code_expires_at: now + CODE_TTL_MS,
      tries: 0,
      password_hash: request.passwordHash ?? null,
      user_id: request.userId ?? null,
      mail_id: null,
      created_at: now,
      expires_at: request.expiresAt,
      closed_at: null,
    });
    return { code, challenge };
  }

  /** Replaces the code of the open challenge. Returns null where none is open. */
  async renew(
    tx: Tx,
    owner: challengeStore.ChallengeOwner,
    now: number,
  ): Promise<IssuedCode | null> {
    const open = await challengeStore.findOpenChallenge(tx, owner, now);
    if (!open) return null;
    const code = this.drawCode();
    const challenge = await challengeStore.replaceCode(tx, open.id, {
      mac: isDecoy(open) ? NO_CODE : this.codeMac(owner, code),
      expiresAt: now + CODE_TTL_MS,
    });
    return { code, challenge };
  }

  /**
   * Closes the challenge and returns it when the code is right. Otherwise counts a try and returns
   * null: the caller must commit either way, or the try is not counted.
   */
  async verify(
    tx: Tx,
    owner: challengeStore.ChallengeOwner,
    code: number,
    now: number,
  ): Promise<ChallengeRow | null> {
    const challenge = await challengeStore.countTry(tx, owner, CODE_TRIES, now);
    if (!challenge || !sameMac(challenge.code_mac, this.codeMac(owner, code))) return null;
    await challengeStore.closeChallenge(tx, challenge.id, now);
    return challenge;
  }

  private codeMac(owner: challengeStore.ChallengeOwner, code: number): string {
    const { purpose, emailKey, browser, bucketId } = owner;
    const parts = [purpose, emailKey, browser, ...(bucketId ? [bucketId] : [])];
    return mac(this.key, ...parts, String(code));
  }
}

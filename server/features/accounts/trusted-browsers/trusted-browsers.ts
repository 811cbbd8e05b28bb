import { createHash, randomBytes } from 'node:crypto';
import { DAY } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit.ts';
import type { Client } from '../client.ts';
import type { AccountContext } from '../context.ts';
import type { TrustedBrowserRow } from '../tables.ts';
import * as store from './trusted-browsers-store.ts';

/** How many browsers a user can trust; another one replaces the oldest. */
const MAX_TRUSTED_BROWSERS = 20;

/** A token of 256 random bits can't be guessed, so a plain hash of it is enough. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');

/**
 * The browsers in which a user logs in with the password alone. Each has a cookie of its own for the user, which is made
 * when the user trusts it: whoever has used the browser before does not know it.
 */
export class TrustedBrowsers {
  constructor(private readonly context: AccountContext) {}

  /** For how many days a browser is trusted; 0 where the operator forbids it. */
  get days(): number {
    return this.context.trustBrowserDays;
  }

  /**
   * Trusts the browser of a login, in its transaction, which has locked the user. Returns the token for its cookie; null
   * where the operator forbids it.
   */
  async trust(tx: Tx, userId: string, client: Client, now: number): Promise<string | null> {
    if (this.days === 0) return null;
    const token = randomBytes(32).toString('base64url');
    const old = client.trustTokenOf(userId);
    const replaced = { tokenHash: old && hashOf(old), kept: MAX_TRUSTED_BROWSERS - 1 };
    await store.deleteReplacedBrowsers(tx, userId, replaced);
    const { device, address, country } = client;
    await store.insertTrustedBrowser(tx, {
      ...{ id: newId(now), user_id: userId, token_hash: hashOf(token) },
      ...{ device, address, country, created_at: now, last_used_at: now },
    });
    await recordAudit(tx, now, 'trusted-browser', userId);
    return token;
  }

  /** Returns the id of the trusted browser of a login, in its transaction; undefined where it is not trusted. */
  async recognize(
    tx: Tx,
    userId: string,
    client: Client,
    now: number,
  ): Promise<string | undefined> {
    const token = client.trustTokenOf(userId);
    if (this.days === 0 || token === null) return undefined;
    return store.recordTrustedLogin(tx, {
      ...{ userId, tokenHash: hashOf(token), since: this.since(now), now },
    });
  }

  /**
   * Lists the browsers that a user trusts, newest first.
   * @param token the cookie of the browser that asks
   */
  async list({ userId }: { userId: string }, token: string | null) {
    const { database, clock } = this.context;
    if (this.days === 0) return [];
    const rows = await store.listTrustedBrowsers(database.db, userId, this.since(clock()));
    const current = token && hashOf(token);
    return rows.map((row) => this.toWire(row, row.token_hash === current));
  }

  /** Ends the trust in a browser. Throws not-found. */
  async remove({ userId }: { userId: string }, id: string): Promise<void> {
    const { database, clock } = this.context;
    await database.transaction(async (tx) => {
      if (!(await store.deleteTrustedBrowser(tx, userId, id))) throw notFound('Trusted browser');
      await recordAudit(tx, clock(), 'untrusted-browser', userId);
    });
  }

  private since(now: number): number {
    return now - this.days * DAY;
  }

  private toWire(row: TrustedBrowserRow, current: boolean) {
    const toText = (at: number) => new Date(at).toISOString();
    return {
      ...{ id: row.id, device: row.device, address: row.address, country: row.country },
      date: toText(row.created_at),
      last_used: toText(row.last_used_at),
      expires: toText(row.created_at + this.days * DAY),
      current,
    };
  }
}

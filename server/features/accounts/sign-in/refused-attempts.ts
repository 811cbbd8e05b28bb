import type { Clock } from '../../../platform/clock.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { mac } from '../../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit.ts';
import * as store from '../store.ts';

/** What the log says of an attempt. None of it is an address. */
export type RefusedAttempt = {
  /** 'password', or the purposes of the code. */
  what: string;
  reason: 'wrong' | 'too-many';
  /** The user whose password or code was tried; null where no account has the address. */
  account: string | null;
  /** A MAC of the client's network address, the same for all of its attempts. */
  client: string;
};

type Attempt = {
  what: string;
  emailKey: string;
  client: { address: string };
  /** The user of the session that makes the attempt, if somebody is logged in. */
  userId?: string;
};

type Options = {
  db: Executor;
  clock: Clock;
  key: Uint8Array;
  log: (refused: RefusedAttempt) => void;
  onError: (error: unknown) => void;
};

/**
 * Logs the refused attempts at passwords and codes, and records wrong ones in the audit log of
 * their account. Addresses without an account are not recorded: anybody could fill the table.
 */
export class RefusedAttempts {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: Options) {}

  /**
   * Reports an attempt after its response. Waiting for the write would make the response to a known
   * address slower than that to an unknown one.
   */
  report(attempt: Attempt, reason: RefusedAttempt['reason']): void {
    const work = this.write(attempt, reason)
      .catch(this.options.onError)
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  /** Waits until everything that was reported is written. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }

  private async write(attempt: Attempt, reason: RefusedAttempt['reason']) {
    const { db, clock, key, log } = this.options;
    const { what, emailKey } = attempt;
    const account = attempt.userId ?? (await store.userByEmail(db, emailKey))?.id ?? null;
    const client = mac(key, 'client', attempt.client.address).slice(0, 16);
    log({ what, reason, account, client });
    if (account === null || reason !== 'wrong') return;
    const action = what === 'password' ? 'wrong-password' : 'wrong-code';
    await recordAudit(db, clock(), action, account, 'system', { client, what });
  }
}

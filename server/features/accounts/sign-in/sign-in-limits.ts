import { DAY, HOUR } from '../../../contract/limits.ts';
import type { Executor } from '../../../platform/db/port.ts';
import type { Limits } from '../../../platform/limits/port.ts';
import { mac } from '../../../platform/secrets/secrets.ts';
import type { Client } from '../client.ts';
import type { RefusedAttempts } from './refused-attempts.ts';
import { isKnownBrowser } from './sign-in-store.ts';

/** A client that sends a form for an address. */
type Requester = { emailKey: string; client: Client; isKnownBrowser: boolean };
/** A guess at a password, or at the code of a purpose. */
type Attempt = Requester & {
  what: string;
  /** The user of the session that makes the attempt, if somebody is logged in. */
  userId?: string;
};

type Limiter = ReturnType<Limits['limiter']>;

/** Describes a client, with whether the owner of the address has been logged in in its browser. */
export async function recognizeClient(
  db: Executor,
  emailKey: string,
  client: Client,
): Promise<Requester> {
  const { browser, previousBrowser = browser } = client;
  const isKnown = await isKnownBrowser(db, emailKey, [browser, previousBrowser]);
  return { emailKey, client, isKnownBrowser: isKnown };
}

/**
 * Limits how often codes and passwords may be tried, and mails requested. Attempts of strangers are
 * counted together for an address; a browser in which the owner of the address has been logged in
 * is counted by itself, so nobody locks the owner out by guessing. The counters stay for a day,
 * also in a database, and their keys are MACs that name no address: an account may be gone by then.
 */
export class SignInLimits {
  private readonly attemptsFromNetwork: Limiter;
  private readonly attemptsAtAddress: Limiter;
  private readonly attemptsInBrowser: Limiter;
  private readonly locks: Limiter;
  private readonly mails: Limiter;
  private readonly calls: Limiter;
  private readonly signups: Limiter;

  /**
   * @param onLocked is called with an address whose attempts are used up, once a day
   * @param signupsPerNetwork how many sign-ups a network can request in a day
   */
  constructor(
    limits: Limits,
    private readonly key: Uint8Array,
    private readonly refused: RefusedAttempts,
    private readonly onLocked: (emailKey: string) => Promise<void>,
    signupsPerNetwork: number,
  ) {
    this.attemptsFromNetwork = limits.limiter({ name: 'tries-network', points: 15, duration: DAY });
    this.attemptsAtAddress = limits.limiter({ name: 'tries-address', points: 60, duration: DAY });
    this.attemptsInBrowser = limits.limiter({ name: 'tries-browser', points: 30, duration: DAY });
    this.locks = limits.limiter({ name: 'locks', points: 1, duration: DAY });
    this.mails = limits.limiter({ name: 'mails', points: 5, duration: HOUR });
    this.calls = limits.limiter({ name: 'calls', points: 300, duration: HOUR });
    this.signups = limits.limiter({ name: 'signups', points: signupsPerNetwork, duration: DAY });
  }

  /**
   * Counts the attempt before it runs, and takes the count back when the attempt succeeds, which
   * is when it returns anything but null. Throws too-many.
   */
  async limitAttempt<Result>(attempt: Attempt, run: () => Promise<Result | null>) {
    await this.calls.take(attempt.client.address);
    const counters = this.countersOf(attempt);
    try {
      for (const { limiter, key } of counters) await limiter.take(key);
    } catch (error) {
      this.refused.report(attempt, 'too-many');
      await this.reportLock(attempt.emailKey);
      throw error;
    }
    const refund = async () => {
      for (const { limiter, key } of counters) await limiter.refund(key);
    };
    try {
      const result = await run();
      if (result === null) this.refused.report(attempt, 'wrong');
      else await refund();
      return result;
    } catch (error) {
      // The attempt failed before anybody learned whether the guess was right.
      await refund();
      throw error;
    }
  }

  /** Throws too-many when an address has had its mails, or a network its calls. */
  async limitMail({ emailKey, client, isKnownBrowser }: Requester) {
    await this.calls.take(client.address);
    await this.mails.take(mac(this.key, emailKey, isKnownBrowser ? client.browser : ''));
  }

  /**
   * Counts a sign-up before it is known whether the address has an account, so that the limit does not tell.
   * Throws too-many when a network has had its sign-ups of a day.
   */
  async limitSignup(client: Client) {
    await this.signups.take(client.address);
  }

  private countersOf({ what, emailKey, client, isKnownBrowser }: Attempt) {
    const keyOf = (...parts: string[]) => mac(this.key, what, emailKey, ...parts);
    if (isKnownBrowser) return [{ limiter: this.attemptsInBrowser, key: keyOf(client.browser) }];
    return [
      { limiter: this.attemptsFromNetwork, key: keyOf(client.address) },
      { limiter: this.attemptsAtAddress, key: keyOf() },
    ];
  }

  private async reportLock(emailKey: string) {
    const isFirst = await this.locks.take(mac(this.key, emailKey)).then(
      () => true,
      () => false,
    );
    if (isFirst) await this.onLocked(emailKey);
  }
}

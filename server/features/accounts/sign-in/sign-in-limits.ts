import { DAY, HOUR } from '../../../contract/limits.ts';
import type { Limits } from '../../../platform/limits/port.ts';
import { mac } from '../../../platform/secrets/mac.ts';
import type { Client } from '../client.ts';

/** What is tried: a code of a purpose, or a password. */
type Trying = { what: string; emailKey: string; client: Client; isKnownBrowser: boolean };

/**
 * How often codes and passwords may be tried, and mails asked for. Strangers' tries are counted
 * together for an address; a browser in which its owner has been logged in is counted by itself,
 * so nobody locks the owner out by trying. What is counted stays for a day, also in a database, and
 * names no address: an account may be gone by then.
 * @param onLocked told of an address whose tries are used up, once a day
 */
export function createAccountLimits(
  limits: Limits,
  key: Uint8Array,
  onLocked: (emailKey: string) => Promise<void>,
) {
  const tries = {
    fromNetwork: limits.limiter({ name: 'tries-network', points: 15, duration: DAY }),
    atAddress: limits.limiter({ name: 'tries-address', points: 60, duration: DAY }),
    inBrowser: limits.limiter({ name: 'tries-browser', points: 30, duration: DAY }),
  };
  const locks = limits.limiter({ name: 'locks', points: 1, duration: DAY });
  const mails = limits.limiter({ name: 'mails', points: 5, duration: HOUR });
  const calls = limits.limiter({ name: 'calls', points: 300, duration: HOUR });

  const countersOf = ({ what, emailKey, client, isKnownBrowser }: Trying) =>
    isKnownBrowser
      ? [{ limiter: tries.inBrowser, key: mac(key, what, emailKey, client.browser) }]
      : [
          { limiter: tries.fromNetwork, key: mac(key, what, emailKey, client.address) },
          { limiter: tries.atAddress, key: mac(key, what, emailKey) },
        ];

  return {
    /** Counts the try before it is made, and takes it back when it was right: not null. */
    async tried<Result>(trying: Trying, attempt: () => Promise<Result | null>) {
      await calls.take(trying.client.address);
      const counters = countersOf(trying);
      try {
        for (const { limiter, key } of counters) await limiter.take(key);
      } catch (error) {
        const isFirst = await locks.take(mac(key, trying.emailKey)).then(
          () => true,
          () => false,
        );
        if (isFirst) await onLocked(trying.emailKey);
        throw error;
      }
      const giveBack = async () => {
        for (const { limiter, key } of counters) await limiter.giveBack(key);
      };
      try {
        const result = await attempt();
        if (result !== null) await giveBack();
        return result;
      } catch (error) {
        // Nobody learned whether it was right.
        await giveBack();
        throw error;
      }
    },

    /** Throws too-many when an address has had its mails, or a network its calls. */
    async askedForMail(asking: Omit<Trying, 'what'>) {
      const { emailKey, client, isKnownBrowser } = asking;
      await calls.take(client.address);
      await mails.take(mac(key, emailKey, isKnownBrowser ? client.browser : ''));
    },
  };
}

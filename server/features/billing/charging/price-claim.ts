import type { Lock, Locks } from '../../../platform/locks/port.ts';
import { CHARGE_KINDS, type Prices } from './pricing.ts';

/** Other processes of this server run with other prices. */
export class PricesInUseError extends Error {
  override name = 'PricesInUseError';
  constructor(settings: string[]) {
    super(
      `${settings.join(', ')} ${settings.length === 1 ? 'differs' : 'differ'} from those of the processes that are running. Stop them first, or use the same prices.`,
    );
  }
}

type RequireUnused = (last: Prices) => Promise<void>;

/**
 * Lets processes of one database run side by side with the same prices only: each would charge and estimate
 * by its own. A process shares a lock that is named by its prices for as long as it runs.
 */
export class PriceClaim {
  private lock: Lock | null = null;

  /** @param prices in micro-USD */
  constructor(
    private readonly locks: Pick<Locks, 'tryTake' | 'tryShare'>,
    private readonly prices: Prices,
  ) {}

  /**
   * Claims the prices of this process. A claim that is held stays as it is; one that was lost with its
   * connection is made again. Throws PricesInUseError.
   * @param note compares the prices with the last ones, and replaces other ones if `requireUnused` lets it,
   *   while no other process does
   */
  async hold(note: (requireUnused: RequireUnused) => Promise<void>): Promise<void> {
    if (this.lock && !this.lock.lost.aborted) return;
    // The claim comes first: another process either sees it, or has replaced the prices before they are read.
    const own = await this.locks.tryShare(lockName(this.prices));
    try {
      await note((last) => this.requireUnused(last));
    } catch (error) {
      await own?.release();
      throw error;
    }
    this.lock = own;
  }

  private async requireUnused(last: Prices): Promise<void> {
    const unused = await this.locks.tryTake(lockName(last));
    if (unused) return unused.release();
    const different = CHARGE_KINDS.filter((cost) => last[cost] !== this.prices[cost]);
    throw new PricesInUseError(different.map((cost) => `PRICE_${cost.toUpperCase()}`));
  }
}

const lockName = (prices: Prices): string =>
  `prices:${CHARGE_KINDS.map((cost) => prices[cost]).join(' ')}`;

import { DAY } from '../../../contract/limits.ts';
import type { ListedReversal, ProviderName } from '../../../platform/payments/port.ts';
import { openProvider } from './checkout.ts';
import type { PaymentCheck, PaymentCheckDeps } from './payment-check.ts';
import * as store from './provider-store.ts';
import type { PaymentReversalRow } from './tables.ts';

const LIST_INTERVAL_MS = DAY;

type ReversalListingDeps = Pick<
  PaymentCheckDeps,
  'database' | 'clock' | 'providers' | 'onError'
> & {
  checks: Pick<PaymentCheck, 'check'>;
};

/**
 * Lists the refunds and disputes at each provider once a day, because the webhooks that announce them
 * may never arrive, and settles the payments of those that differ from ours.
 */
export class ReversalListing {
  constructor(private readonly deps: ReversalListingDeps) {}

  /** Lists those of every provider that is due. Rejects between two pages once the signal is aborted. */
  async round(signal: AbortSignal): Promise<void> {
    for (const name of ['stripe', 'cryptomus'] as const) {
      if (!this.deps.providers[name]) continue;
      await this.listDue(name, signal);
    }
  }

  private async listDue(name: ProviderName, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    const since = (await store.findProvider(database.db, name))?.listed_at ?? null;
    // A server that has just got its provider has nothing to look for yet.
    if (since === null) return store.updateProvider(database.db, name, { listed_at: now });
    if (now < since + LIST_INTERVAL_MS) return;
    await this.settleSince(name, since, signal);
    await store.updateProvider(database.db, name, { listed_at: now });
  }

  /** Settles the payments whose refunds and disputes since a moment differ from ours. */
  async settleSince(name: ProviderName, since: number, signal?: AbortSignal): Promise<void> {
    const provider = await openProvider(this.deps.providers, name);
    for await (const page of provider.listReversals(since)) {
      signal?.throwIfAborted();
      await this.settleDifferences(name, page);
    }
  }

  /** A payment that can't be settled is reported, and listed again with the next day's. */
  private async settleDifferences(name: ProviderName, page: ListedReversal[]): Promise<void> {
    const { database, checks, onError } = this.deps;
    const ids = page.map(({ reversal }) => reversal.id);
    const known = new Map(
      (await store.reversalsById(database.db, name, ids)).map((row) => [row.id, row]),
    );
    const references = page
      .filter((listed) => isDifferent(listed, known.get(listed.reversal.id)))
      .map(({ reference }) => reference);
    for (const payment of await store.paymentsByReference(database.db, name, references)) {
      await checks.check(payment, true).catch(onError);
    }
  }
}

const isDifferent = ({ reversal }: ListedReversal, row: PaymentReversalRow | undefined) =>
  row === undefined ||
  (row.stands === 1) !== reversal.stands ||
  (reversal.amount !== null && row.amount !== reversal.amount);

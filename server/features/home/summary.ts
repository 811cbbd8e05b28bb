import type { BucketPreviews, HomeSummary } from '../../contract/home/summary.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Billing } from '../billing/service.ts';
import type { Buckets } from '../buckets/service.ts';
import type { Files } from '../files/service.ts';
import { dayOf, dayText, type Usage } from '../usage/service.ts';
import { monthsOf, previousMonthOf } from './months.ts';

/** How many buckets are added up. An account with more of them has an overview of each only. */
const MAX_BUCKETS = 250;

export type SummaryServices = {
  buckets: { quotas: Pick<Buckets['quotas'], 'storageOf'> } & {
    ofAccount: Pick<Buckets['ofAccount'], 'totals'>;
  };
  files: Pick<Files, 'recent'>;
  usage: Pick<Usage, 'accountDays'>;
  billing: Pick<Billing, 'credit' | 'costs'>;
  payments: { methods: { card: boolean; crypto: boolean } };
  /** The prices in USD. */
  config: { prices: { storage: number; bandwidth: number; upload: number } };
  clock: Clock;
};

/**
 * Returns how an account is doing, and the previews of some of its buckets. The work depends on the number of its
 * buckets, and not on that of its files.
 */
export async function summaryOf(
  services: SummaryServices,
  userId: string,
  bucketIds: string[],
): Promise<{ summary: HomeSummary; previews: BucketPreviews }> {
  const { buckets, files, usage, clock } = services;
  const now = clock();
  const range = { from: previousMonthOf(now), maxBuckets: MAX_BUCKETS };
  const [balance, storage, totals, days, { recent, previews }] = await Promise.all([
    balanceOf(services, userId),
    buckets.quotas.storageOf(userId),
    buckets.ofAccount.totals(userId),
    usage.accountDays(userId, range),
    files.recent(userId, bucketIds),
  ]);
  const months = totals.buckets > MAX_BUCKETS ? null : monthsOf(days, totals.bytes, now);
  return {
    summary: {
      today: dayText(dayOf(now)),
      balance,
      storage: { ...storage, files: totals.files },
      months,
      recent,
    },
    previews,
  };
}

async function balanceOf(
  { billing, payments, config }: SummaryServices,
  userId: string,
): Promise<HomeSummary['balance']> {
  const isPaid = payments.methods.card || payments.methods.crypto;
  const isCharged = Object.values(config.prices).some((price) => price > 0);
  if (!isPaid || !isCharged) return null;
  const [{ credit }, { recent }] = await Promise.all([
    billing.credit(userId),
    billing.costs(userId),
  ]);
  return { credit, recent };
}

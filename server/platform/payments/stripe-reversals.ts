import type Stripe from 'stripe';
import { DAY, SECOND } from '../../contract/limits.ts';
import type { ListedReversal, Reversal } from './port.ts';
import { reversalOfDispute, reversalOfRefund, type StripeReversals } from './stripe-payment.ts';

/** One page is enough for a payment, because nobody refunds or disputes one a hundred times. */
const PAGE_SIZE = 100;
/** Stripe lists by the time of creation. A refund can fail for so long after it, and a dispute change. */
const REFUND_CHANGES_MS = 30 * DAY;
const DISPUTE_CHANGES_MS = 120 * DAY;

/** Returns the refunds and disputes of a payment intent. */
export async function reversalsOf(
  stripe: Stripe,
  payment_intent: string,
): Promise<StripeReversals> {
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list({ payment_intent, limit: PAGE_SIZE }),
    stripe.disputes.list({ payment_intent, limit: PAGE_SIZE }),
  ]);
  return { refunds: refunds.data, disputes: disputes.data };
}

/** Yields pages of all refunds and disputes of the Stripe account since `since`, newest first. */
export async function* listAllReversals(
  stripe: Stripe,
  since: number,
): AsyncGenerator<ListedReversal[]> {
  const createdSince = (ms: number) => ({ gte: Math.floor((since - ms) / SECOND) });
  yield* pages(
    (page) => stripe.refunds.list({ ...page, created: createdSince(REFUND_CHANGES_MS) }),
    reversalOfRefund,
  );
  yield* pages(
    (page) => stripe.disputes.list({ ...page, created: createdSince(DISPUTE_CHANGES_MS) }),
    reversalOfDispute,
  );
}

type Listed = { id: string; payment_intent: string | { id: string } | null };
type Page = { limit: number; starting_after?: string };

async function* pages<Item extends Listed>(
  list: (page: Page) => Promise<Stripe.ApiList<Item>>,
  toReversal: (item: Item) => Reversal,
): AsyncGenerator<ListedReversal[]> {
  let starting_after: string | undefined;
  do {
    const { data, has_more } = await list({
      limit: PAGE_SIZE,
      ...(starting_after && { starting_after }),
    });
    yield data.flatMap((item) => {
      const { payment_intent: intent } = item;
      const reference = typeof intent === 'string' ? intent : intent?.id;
      return reference ? [{ reference, reversal: toReversal(item) }] : [];
    });
    starting_after = has_more ? data.at(-1)?.id : undefined;
  } while (starting_after);
}

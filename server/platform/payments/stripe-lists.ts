import type Stripe from 'stripe';
import { DAY, SECOND } from '../../contract/limits.ts';
import { MICRO_PER_CENT } from '../../contract/money.ts';
import type { ListedPayment, ListedReversal, Reversal } from './port.ts';
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
  const refunds = pages((page) =>
    stripe.refunds.list({ ...page, created: createdSince(REFUND_CHANGES_MS) }),
  );
  for await (const page of refunds) yield toListed(page, reversalOfRefund);
  const disputes = pages((page) =>
    stripe.disputes.list({ ...page, created: createdSince(DISPUTE_CHANGES_MS) }),
  );
  for await (const page of disputes) yield toListed(page, reversalOfDispute);
}

/** Yields pages of the checkouts since `since` that were paid, newest first. */
export async function* listPaidSessions(
  stripe: Stripe,
  since: number,
): AsyncGenerator<ListedPayment[]> {
  const created = { gte: Math.floor(since / SECOND) };
  const sessions = pages((page) =>
    stripe.checkout.sessions.list({ ...page, created, status: 'complete' }),
  );
  for await (const page of sessions) {
    yield page
      .filter(({ payment_status, metadata }) => payment_status === 'paid' && metadata?.payment)
      .map(({ id, metadata, amount_total, created }) => ({
        paymentId: metadata?.payment ?? '',
        checkoutId: id,
        userId: metadata?.user ?? null,
        amount: Number(metadata?.amount ?? amount_total) * MICRO_PER_CENT,
        createdAt: created * SECOND,
      }));
  }
}

const referenceOf = ({ payment_intent: intent }: Stripe.Refund | Stripe.Dispute) =>
  typeof intent === 'string' ? intent : (intent?.id ?? null);

const toListed = <Item extends Stripe.Refund | Stripe.Dispute>(
  items: Item[],
  toReversal: (item: Item) => Reversal,
): ListedReversal[] =>
  items.flatMap((item) => {
    const reference = referenceOf(item);
    return reference ? [{ reference, reversal: toReversal(item) }] : [];
  });

type Page = { limit: number; starting_after?: string };

async function* pages<Item extends { id: string }>(
  list: (page: Page) => Promise<Stripe.ApiList<Item>>,
): AsyncGenerator<Item[]> {
  let starting_after: string | undefined;
  do {
    const { data, has_more } = await list({
      limit: PAGE_SIZE,
      ...(starting_after && { starting_after }),
    });
    yield data;
    starting_after = has_more ? data.at(-1)?.id : undefined;
  } while (starting_after);
}

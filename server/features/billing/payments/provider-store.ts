import type { Executor } from '../../../platform/db/port.ts';
import type { PaymentProviderRow, PaymentReversalRow, PaymentRow } from './tables.ts';

type Provider = PaymentRow['provider'];

/** Returns what is known of a provider; undefined where that is nothing. */
export async function findProvider(
  db: Executor,
  provider: Provider,
): Promise<PaymentProviderRow | undefined> {
  return db
    .selectFrom('payment_providers')
    .selectAll()
    .where('provider', '=', provider)
    .executeTakeFirst();
}

/** Changes what is known of a provider. */
export async function updateProvider(
  db: Executor,
  provider: Provider,
  change: Partial<Omit<PaymentProviderRow, 'provider'>>,
): Promise<void> {
  const nothing = { webhook_at: null, listed_at: null, warned_at: null };
  await db
    .insertInto('payment_providers')
    .values({ provider, ...nothing, ...change })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(change))
    .execute();
}

/** Records the first webhook that names a payment. */
export async function markAnnounced(db: Executor, id: string, now: number): Promise<void> {
  await db
    .updateTable('payments')
    .set({ announced_at: now })
    .where('id', '=', id)
    .where('announced_at', 'is', null)
    .execute();
}

/** Returns the last payment that a provider had settled by `until`; undefined where there is none. */
export async function lastSettledPayment(
  db: Executor,
  provider: Provider,
  until: number,
): Promise<Pick<PaymentRow, 'id' | 'settled_at' | 'announced_at'> | undefined> {
  return db
    .selectFrom('payments')
    .select(['id', 'settled_at', 'announced_at'])
    .where('provider', '=', provider)
    .where('settled_at', '<=', until)
    .orderBy('settled_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the payments with some of the provider's ids of payments. */
export async function paymentsByReference(
  db: Executor,
  provider: Provider,
  references: string[],
): Promise<PaymentRow[]> {
  if (references.length === 0) return [];
  return db
    .selectFrom('payments')
    .selectAll()
    .where('provider', '=', provider)
    .where('reference', 'in', references)
    .execute();
}

/** Returns the refunds and disputes with some of the provider's ids. */
export async function reversalsById(
  db: Executor,
  provider: Provider,
  ids: string[],
): Promise<PaymentReversalRow[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('payment_reversals')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', 'in', ids)
    .execute();
}

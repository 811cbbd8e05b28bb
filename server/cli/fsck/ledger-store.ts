import { sql } from 'kysely';
import type { PaymentRow } from '../../features/billing/payments/tables.ts';
import type { Executor } from '../../platform/db/port.ts';
import { PAGE_SIZE, paged } from './store.ts';

/** Yields the balance of every account with the sums over its entries and its months. */
export const allHeads = (db: Executor) =>
  paged(
    (after) =>
      db
        .selectFrom('ledger_accounts as head')
        .leftJoin('ledger_entries as last', (join) =>
          join.onRef('last.user_id', '=', 'head.user_id').onRef('last.seq', '=', 'head.seq'),
        )
        .select(({ selectFrom, fn, lit }) => [
          'head.user_id',
          'head.seq',
          'head.balance',
          fn.coalesce('last.balance', lit(0)).as('posted'),
          selectFrom('ledger_entries as entry')
            .select(({ fn, lit }) => fn.coalesce(fn.max<number>('entry.seq'), lit(0)).as('seq'))
            .whereRef('entry.user_id', '=', 'head.user_id')
            .as('entries'),
          selectFrom('ledger_months as month')
            .select(({ fn, lit }) =>
              fn.coalesce(fn.sum<number>('month.amount'), lit(0)).as('amount'),
            )
            .whereRef('month.user_id', '=', 'head.user_id')
            .as('months'),
        ])
        .where('head.user_id', '>', after)
        .orderBy('head.user_id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.user_id,
  );

const payments = (db: Executor) =>
  db
    .selectFrom('payments')
    .leftJoin('ledger_entries as entry', (join) =>
      join.on('entry.ref', '=', sql<string>`payments.provider || ':payment:' || payments.id`),
    )
    .select([
      'payments.id',
      'payments.user_id',
      'payments.provider',
      'payments.credited',
      'payments.reversed',
      'entry.amount as posted',
      'entry.user_id as posted_to',
    ]);

export type AuditedPayment = Awaited<ReturnType<typeof paymentById>> & object;

/** Yields every payment with the entry that credited it. */
export const allPayments = (db: Executor): AsyncGenerator<AuditedPayment> =>
  paged(
    (after) =>
      payments(db)
        .where('payments.id', '>', after)
        .orderBy('payments.id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

export const paymentById = (db: Executor, id: string) =>
  payments(db).where('payments.id', '=', id).executeTakeFirst();

/**
 * Returns the micro-USD that the ledger has for the reversals of a payment, and for those that were
 * withdrawn.
 */
export async function postedReversals(
  db: Executor,
  { id, provider }: Pick<PaymentRow, 'id' | 'provider'>,
): Promise<number> {
  const reversals = await db
    .selectFrom('payment_reversals')
    .select(['id', 'kind', 'changes'])
    .where('payment_id', '=', id)
    .execute();
  let sum = 0;
  for (const reversal of reversals) {
    const refs = Array.from(
      { length: reversal.changes + 1 },
      (_, change) => `${provider}:${reversal.kind}:${reversal.id}:${change}`,
    );
    for (let at = 0; at < refs.length; at += PAGE_SIZE) {
      const { amount } = await db
        .selectFrom('ledger_entries')
        .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('amount'), lit(0)).as('amount'))
        .where('ref', 'in', refs.slice(at, at + PAGE_SIZE))
        .executeTakeFirstOrThrow();
      sum += amount;
    }
  }
  return sum;
}

/** Yields the entries that credit payments. */
export const creditsOfPayments = (db: Executor) =>
  paged(
    (after) =>
      db
        .selectFrom('ledger_entries as entry')
        .select(['entry.ref', 'entry.amount'])
        .where('entry.kind', '=', 'payment')
        .where('entry.ref', '>', after)
        .orderBy('entry.ref')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.ref,
  );

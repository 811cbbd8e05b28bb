import type { LedgerKind } from '../../../contract/money.ts';

/** The entries in which money comes or goes. What they change was paid; all other credit was granted. */
const MONEY: ReadonlySet<LedgerKind> = new Set(['payment', 'refund', 'dispute', 'reversal']);

/**
 * Returns which part of a balance was paid, after an entry. Granted credit is used first, so a charge takes from
 * what was paid only what grants don't cover. A payment first covers a debt. All amounts are micro-USD.
 * @param paid the paid part before the entry
 * @param entry.balance the balance after it
 */
export function paidAfter(
  paid: number,
  { kind, amount, balance }: { kind: LedgerKind; amount: number; balance: number },
): number {
  const changed = MONEY.has(kind) ? paid + amount : paid;
  return Math.min(Math.max(changed, 0), Math.max(balance, 0));
}

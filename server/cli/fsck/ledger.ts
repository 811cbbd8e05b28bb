import type { CopySources } from '../../adapters/operator.ts';
import { MICRO_USD } from '../../contract/money.ts';
import type { Finding } from './finding.ts';
import * as store from './ledger-store.ts';

const usd = (amount: number) => `${amount / MICRO_USD} USD`;
const REF = /^(?:stripe|cryptomus):payment:(\w+)$/;

/**
 * Yields balances that differ from the entries of the ledger, and payments that differ from their
 * entries.
 */
export async function* checkLedger({ database: { db } }: CopySources): AsyncGenerator<Finding> {
  for await (const { user_id, seq, balance, posted, entries, months } of store.allHeads(db)) {
    const findingOf = (text: string): Finding => ({ kind: 'ledger', subject: user_id, text });
    if (seq !== entries || balance !== posted) {
      yield findingOf(`the balance is ${usd(balance)}, the ledger has ${usd(posted)}`);
    }
    if (balance !== months) {
      yield findingOf(
        `the balance is ${usd(balance)}, its monthly totals add up to ${usd(months ?? 0)}`,
      );
    }
  }
  for await (const payment of store.allPayments(db)) {
    if ((await wrongAbout(db, payment)) === null) continue;
    // The payment may have changed while its entries were read.
    const current = await store.paymentById(db, payment.id);
    const text = current && (await wrongAbout(db, current));
    if (text) yield { kind: 'ledger', subject: payment.id, text };
  }
  for await (const { ref, amount } of store.creditsOfPayments(db)) {
    const id = REF.exec(ref)?.[1];
    if (id && (await store.paymentById(db, id))) continue;
    yield { kind: 'ledger', subject: ref, text: `${usd(amount)} credited without a payment` };
  }
}

type Db = CopySources['database']['db'];

async function wrongAbout(db: Db, payment: store.AuditedPayment): Promise<string | null> {
  const { credited, reversed, posted, posted_to, user_id } = payment;
  if (credited !== (posted ?? 0)) {
    return `the payment credited ${usd(credited)}, the ledger has ${usd(posted ?? 0)}`;
  }
  if (posted_to !== null && posted_to !== user_id)
    return 'the payment was credited to another account';
  if (credited === 0) return null;
  const reversedInLedger = -(await store.postedReversals(db, payment)) || 0;
  if (reversedInLedger === reversed) return null;
  return `${usd(reversed)} of the payment were reversed, the ledger has ${usd(reversedInLedger)}`;
}

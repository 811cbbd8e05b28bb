import type { LedgerKind } from '../../../contract/money.ts';
import type { StatementWire } from '../../../contract/wire-billing.ts';
import { toCsv } from '../../../web/http/csv.ts';

const KINDS: Record<LedgerKind, string> = {
  credit: 'Credit',
  charge: 'Charge',
  payment: 'Payment',
  refund: 'Refund',
  dispute: 'Dispute',
  reversal: 'Dispute won',
  grant: 'Grant',
  forfeit: 'Forfeit',
};

/** A statement for a spreadsheet: in and out in columns of their own, so that each can be summed. */
export function statementCsv(statement: StatementWire): string {
  const { month, opening, closing, entries, buckets } = statement;
  const moved = (amount: number) => (amount < 0 ? ['', usd(-amount)] : [usd(amount), '']);
  const blank = ['', '', '', '', ''];
  return toCsv([
    [
      'Date',
      'What',
      'Bucket',
      'Bucket ID',
      'Storage',
      'Bandwidth',
      'Uploaded data',
      'In USD',
      'Out USD',
    ],
    [month, 'Opening balance', ...blank, ...moved(opening)],
    ...entries.map(({ date, kind, amount }) => [date, KINDS[kind], ...blank, ...moved(amount)]),
    ...buckets.map((bucket) => [
      month,
      'Charge',
      bucket.name,
      bucket.id,
      usd(bucket.storage),
      usd(bucket.bandwidth),
      usd(bucket.upload),
      ...moved(-bucket.total),
    ]),
    [month, 'Closing balance', ...blank, ...moved(closing)],
  ]);
}

/** With all 6 decimals: what is rounded does not add up. */
const usd = (amount: number): string => amount.toFixed(6);

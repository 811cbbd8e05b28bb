import { type LedgerKind, toUsd } from '../../../contract/money.ts';
import type { StatementSummaryWire, StatementWire } from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { toCsv } from '../../../web/http/csv.ts';
import { chargedUntil } from '../charging/charges-store.ts';
import { monthText, nextMonth, readMonth, sumOf, toSplitWire } from '../charging/costs.ts';
import * as store from '../charging/costs-store.ts';

const KINDS: Record<LedgerKind, string> = {
  credit: 'Credit',
  charge: 'Charge',
  payment: 'Payment',
  refund: 'Refund',
  dispute: 'Dispute',
  reversal: 'Dispute won',
  grant: 'Grant',
  forfeit: 'Forfeit',
  debt: 'Balance of your deleted account',
};

type Summary = { month: number; opening: number; charged: number; added: number };

/** Returns the sums of every month with ledger entries, in micro-USD, oldest first. */
async function summaries(db: Executor, userId: string): Promise<Summary[]> {
  const months: Summary[] = [];
  let balance = 0;
  for (const { month, kind, amount } of await store.monthsOf(db, userId)) {
    let last = months.at(-1);
    if (last?.month !== month) {
      last = { month, opening: balance, charged: 0, added: 0 };
      months.push(last);
    }
    if (kind === 'charge') last.charged -= amount;
    else last.added += amount;
    balance += amount;
  }
  return months;
}

const toWire = (
  { month, opening, charged, added }: Summary,
  until: number,
): StatementSummaryWire => ({
  month: monthText(month),
  final: until >= nextMonth(month),
  opening: toUsd(opening),
  charged: toUsd(charged),
  added: toUsd(added),
  closing: toUsd(opening + added - charged),
});

/** Returns the summaries of all months of an account, newest first. */
export async function listStatements(
  db: Executor,
  userId: string,
): Promise<StatementSummaryWire[]> {
  const until = await chargedUntil(db);
  return (await summaries(db, userId)).reverse().map((one) => toWire(one, until));
}

/**
 * Returns the statement of a month such as '2026-11'. Throws not-found for a month without entries.
 */
export async function statementOf(
  db: Executor,
  userId: string,
  text: string,
): Promise<StatementWire> {
  const month = readMonth(text);
  const summary = (await summaries(db, userId)).find((one) => one.month === month);
  if (!summary) throw notFound('Statement');
  const entries = await store.entriesBetween(db, userId, summary.month, nextMonth(summary.month));
  const costs = await store.costsOfMonth(db, userId, summary.month);
  return {
    ...toWire(summary, await chargedUntil(db)),
    entries: entries.map(({ kind, amount, created_at }) => ({
      date: new Date(created_at).toISOString(),
      kind,
      amount: toUsd(amount),
    })),
    costs: toSplitWire(sumOf(costs)),
    buckets: costs
      .map(({ bucket_id, name, isDeleted, ...split }) => ({
        id: bucket_id,
        name,
        deleted: isDeleted,
        ...toSplitWire(split),
      }))
      .sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1)),
  };
}

/**
 * Returns a statement as CSV. Credits and charges have columns of their own, so that each can be
 * summed.
 */
export function statementCsv(statement: StatementWire): string {
  const { month, opening, closing, entries, buckets } = statement;
  const debitAndCredit = (amount: number) => (amount < 0 ? ['', usd(-amount)] : [usd(amount), '']);
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
    [month, 'Opening balance', ...blank, ...debitAndCredit(opening)],
    ...entries.map(({ date, kind, amount }) => [
      date,
      KINDS[kind],
      ...blank,
      ...debitAndCredit(amount),
    ]),
    ...buckets.map((bucket) => [
      month,
      'Charge',
      bucket.name,
      bucket.id,
      usd(bucket.storage),
      usd(bucket.bandwidth),
      usd(bucket.upload),
      ...debitAndCredit(-bucket.total),
    ]),
    [month, 'Closing balance', ...blank, ...debitAndCredit(closing)],
  ]);
}

/** Returns dollars with all 6 decimals, because rounded amounts would not add up. */
const usd = (amount: number): string => amount.toFixed(6);

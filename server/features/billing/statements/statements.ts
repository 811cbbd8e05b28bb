import { toUsd } from '../../../contract/money.ts';
import type {
  BucketCostWire,
  DayChargesWire,
  StatementSummaryWire,
  StatementWire,
} from '../../../contract/wire.ts';
import { notFound } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { dayOf, dayText, monthOf } from '../../usage/service.ts';
import {
  addUp,
  monthText,
  nextMonth,
  readMonth,
  sumOf,
  toBucketWires,
  toCharges,
  toSplitWire,
} from '../charging/costs.ts';
import * as store from '../charging/costs-store.ts';
import { type OngoingBalance, type OpenCosts, openCosts } from '../charging/ongoing-balance.ts';
import { readSettled } from '../charging/settled-read.ts';

export type Summary = { month: number; opening: number; charged: number; added: number };

const totalOf = (parts: OngoingBalance['parts']) =>
  parts.reduce((sum, { total }) => sum + total, 0);

/** Returns what is not charged yet of a month; it belongs to the current month or to the last one. */
const openIn = (open: OpenCosts, month: number, now: number): OngoingBalance['parts'] => {
  if (month === monthOf(now)) return open.since;
  return nextMonth(month) === monthOf(now) ? open.before : [];
};

/**
 * Returns the sums of every month with anything in it, in micro-USD, oldest first. What is not charged
 * yet counts, so that the last closing balance is the balance of the account.
 */
async function summaries(
  db: Executor,
  userId: string,
  open: OpenCosts,
  now: number,
): Promise<Summary[]> {
  const sums = new Map<number, Omit<Summary, 'opening'>>();
  const monthSum = (month: number) => {
    const sum = sums.get(month) ?? { month, charged: 0, added: 0 };
    sums.set(month, sum);
    return sum;
  };
  for (const { month, kind, amount } of await store.monthsOf(db, userId)) {
    if (kind === 'charge') monthSum(month).charged -= amount;
    else monthSum(month).added += amount;
  }
  const month = monthOf(now);
  for (const [at, parts] of [
    [monthOf(month - 1), open.before],
    [month, open.since],
  ] as const) {
    const total = totalOf(parts);
    if (total !== 0) monthSum(at).charged += total;
  }
  let balance = 0;
  return [...sums.values()]
    .sort((a, b) => a.month - b.month)
    .map((sum) => {
      const opening = balance;
      balance += sum.added - sum.charged;
      return { ...sum, opening };
    });
}

const toWire = (
  { month, opening, charged, added }: Summary,
  { chargedUntil }: OpenCosts,
): StatementSummaryWire => ({
  month: monthText(month),
  final: chargedUntil >= nextMonth(month),
  opening: toUsd(opening),
  charged: toUsd(charged),
  added: toUsd(added),
  closing: toUsd(opening + added - charged),
});

/** Reads what is not charged yet and the sums of all months. */
const readSums = (db: Executor, userId: string, now: number) =>
  readSettled(db, userId, async () => {
    const open = await openCosts(db, userId, now);
    return { open, all: await summaries(db, userId, open, now) };
  });

/** Returns the summaries of all months of an account, newest first. */
export async function listStatements(
  db: Executor,
  userId: string,
  now: number,
): Promise<StatementSummaryWire[]> {
  const { open, all } = await readSums(db, userId, now);
  return all.reverse().map((one) => toWire(one, open));
}

/**
 * Returns the sums of a month such as '2026-11', with what is not charged yet. Throws not-found for a
 * month with nothing in it.
 */
export async function monthOfStatement(db: Executor, userId: string, text: string, now: number) {
  const month = readMonth(text);
  const { open, all } = await readSums(db, userId, now);
  const summary = all.find((one) => one.month === month);
  if (!summary) throw notFound('Statement');
  return { summary, open, parts: toCharges(openIn(open, summary.month, now)) };
}

/**
 * Returns the statement of a month such as '2026-11'. Throws not-found for a month with nothing in it.
 */
export async function statementOf(
  db: Executor,
  userId: string,
  text: string,
  now: number,
): Promise<StatementWire> {
  const { summary, open, parts } = await monthOfStatement(db, userId, text, now);
  const { month } = summary;
  const end = nextMonth(month);
  const entries = await store.entriesBetween(db, userId, month, end);
  const costs = addUp(await store.chargesOfMonth(db, userId, month), parts);
  const days = (await store.chargesByDay(db, userId, month, end)).map(({ day, ...split }) => ({
    date: dayText(day),
    final: true,
    ...toSplitWire(split),
  }));
  if (parts.length > 0) {
    const date = dayText(Math.min(dayOf(now), end - 1));
    days.push({ date, final: false, ...toSplitWire(sumOf(parts)) });
  }
  return {
    ...toWire(summary, open),
    entries: entries.map(({ kind, amount, created_at }) => ({
      date: new Date(created_at).toISOString(),
      kind,
      amount: toUsd(amount),
    })),
    costs: toSplitWire(sumOf(costs)),
    days,
    buckets: await toBucketWires(db, costs),
  };
}

/** How many buckets of a day one page holds. */
const DAY_PAGE_SIZE = 50;

/** Returns a page of what the buckets of an account were charged on a day, in the order of their ids. */
export async function chargesOfDay(
  db: Executor,
  userId: string,
  { day, cursor = '' }: { day: number; cursor?: string | undefined },
): Promise<DayChargesWire> {
  const after = cursor === '0' ? '' : cursor;
  const range = { day, after, to: day + 1, limit: DAY_PAGE_SIZE + 1 };
  const rows = await store.dayParts(db, userId, range);
  const page = rows.slice(0, DAY_PAGE_SIZE);
  const data: BucketCostWire[] = await toBucketWires(db, page);
  return { data, nextId: rows.length > DAY_PAGE_SIZE ? (page.at(-1)?.bucket_id ?? null) : null };
}

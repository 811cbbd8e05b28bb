import { LEDGER_KIND_NAMES, toUsd } from '../../../contract/money.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { toCsv } from '../../../web/http/csv.ts';
import { dayText } from '../../usage/service.ts';
import { type BucketCharge, monthText, nextMonth } from '../charging/costs.ts';
import * as store from '../charging/costs-store.ts';
import { monthOfStatement } from './statements.ts';

const COLUMNS = [
  'Date',
  'What',
  'Bucket',
  'Bucket ID',
  'Storage',
  'Bandwidth',
  'Uploaded data',
  'In USD',
  'Out USD',
];
const BLANK = ['', '', '', '', ''];
/** How many charges of buckets one query reads. */
const PAGE_SIZE = 500;

/** Returns dollars with all 6 decimals, because rounded amounts would not add up. */
const usd = (microUsd: number): string => toUsd(microUsd).toFixed(6);

/** Credits and charges have columns of their own, so that each can be summed. */
const debitAndCredit = (amount: number) => (amount < 0 ? ['', usd(-amount)] : [usd(amount), '']);

/**
 * Returns the statement of a month such as '2026-11' as CSV, in parts: payments and credits, then the
 * charges of each day by bucket. What was charged by the hour, before there were daily charges, is a
 * row for each bucket. Throws not-found for a month with nothing in it.
 */
export async function statementCsv(
  db: Executor,
  userId: string,
  text: string,
  now: number,
): Promise<{ month: string; parts: AsyncGenerator<string> }> {
  const statement = await monthOfStatement(db, userId, text, now);
  return { month: monthText(statement.summary.month), parts: csvOf(db, userId, statement, now) };
}

async function* csvOf(
  db: Executor,
  userId: string,
  { summary, parts }: Awaited<ReturnType<typeof monthOfStatement>>,
  now: number,
): AsyncGenerator<string> {
  const { month, opening, added, charged } = summary;
  const end = nextMonth(month);
  const name = monthText(month);
  yield toCsv([COLUMNS, [name, 'Opening balance', ...BLANK, ...debitAndCredit(opening)]]);
  const entries = await store.entriesBetween(db, userId, month, end);
  yield toCsv(
    entries.map(({ created_at, kind, amount }) => [
      new Date(created_at).toISOString(),
      LEDGER_KIND_NAMES[kind],
      ...BLANK,
      ...debitAndCredit(amount),
    ]),
  );
  const rest = await chargedByHour(db, userId, month);
  yield await bucketRows(
    db,
    rest.map((row) => ({ ...row, date: name, what: 'Charge' })),
  );
  for (let [day, after] = [month, '']; ; ) {
    const page = await store.dayParts(db, userId, { day, after, to: end, limit: PAGE_SIZE });
    yield await bucketRows(
      db,
      page.map((row) => ({ ...row, date: dayText(row.day), what: 'Charge' })),
    );
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    [day, after] = [last.day, last.bucket_id];
  }
  const today = dayText(Math.min(now, end - 1));
  yield await bucketRows(
    db,
    parts.map((part) => ({ ...part, date: today, what: 'Charge so far' })),
  );
  yield toCsv([[name, 'Closing balance', ...BLANK, ...debitAndCredit(opening + added - charged)]]);
}

async function bucketRows(
  db: Executor,
  rows: (BucketCharge & { date: string; what: string })[],
): Promise<string> {
  const names = await store.namesOf(db, [...new Set(rows.map(({ bucket_id }) => bucket_id))]);
  return toCsv(
    rows.map(({ date, what, bucket_id, storage, bandwidth, upload }) => [
      date,
      what,
      names.get(bucket_id)?.name ?? '',
      bucket_id,
      usd(storage),
      usd(bandwidth),
      usd(upload),
      ...debitAndCredit(-(storage + bandwidth + upload)),
    ]),
  );
}

/** Returns what buckets were charged in a month, less what days have. */
async function chargedByHour(db: Executor, userId: string, month: number) {
  const inDays = new Map(
    (await store.chargesByBucket(db, userId, month, nextMonth(month))).map((row) => [
      row.bucket_id,
      row,
    ]),
  );
  return (await store.chargesOfMonth(db, userId, month))
    .map((row): BucketCharge => {
      const days = inDays.get(row.bucket_id);
      return {
        bucket_id: row.bucket_id,
        storage: row.storage - (days?.storage ?? 0),
        bandwidth: row.bandwidth - (days?.bandwidth ?? 0),
        upload: row.upload - (days?.upload ?? 0),
      };
    })
    .filter(({ storage, bandwidth, upload }) => storage + bandwidth + upload !== 0);
}

import type { CopySources } from '../../adapters/operator.ts';
import { DAY } from '../../contract/limits.ts';
import { MICRO_USD } from '../../contract/money.ts';
import { monthOf } from '../../features/usage/service.ts';
import type { Clock } from '../../platform/clock.ts';
import * as store from './charges-store.ts';
import type { Finding } from './finding.ts';

const usd = (amount: number) => `${amount / MICRO_USD} USD`;
/** Days of charges are deleted after 800 days, so older months can't be compared with them. */
const COMPARED_DAYS_MS = 799 * DAY;

type Db = CopySources['database']['db'];

/**
 * Yields months whose charges differ from the ledger or from the charges of their days, and buckets
 * that are not charged for the bytes that they store. One month of an account is read at a time.
 */
export async function* checkCharges(
  { database: { db } }: CopySources,
  clock: Clock,
): AsyncGenerator<Finding> {
  const since = clock() - COMPARED_DAYS_MS;
  for await (const { user_id } of store.allAccounts(db)) {
    for (const month of await store.chargedMonths(db, user_id)) {
      yield* checkPosted(db, month);
      if (month.month >= since) yield* checkDays(db, month);
    }
  }
  for await (const bucket of store.allMeteredBuckets(db)) {
    if (wrongAbout(bucket)) yield* again(await store.meteredBucketById(db, bucket.id));
  }
  for await (const bucket of store.allDeletedBuckets(db)) {
    if (wrongAbout(bucket)) yield* again(await store.deletedBucketById(db, bucket.id));
  }
}

async function* checkPosted(db: Db, row: store.ChargedMonth): AsyncGenerator<Finding> {
  const { user_id, month } = row;
  if (row.charged === row.posted) return;
  // Some buckets of a day may be charged before its entry is posted, and may have been since.
  const unposted = await store.unpostedCharges(db, user_id, month, nextMonth(month));
  const current = (await store.chargedMonths(db, user_id)).find((other) => other.month === month);
  if (!current || current.charged - unposted === current.posted) return;
  if (await store.wasChargedHourly(db, user_id, month)) return;
  const text = `the charges of ${monthText(month)} add up to ${usd(current.charged - unposted)}, the ledger has ${usd(current.posted)}`;
  yield { kind: 'ledger', subject: user_id, text };
}

async function* checkDays(db: Db, { user_id, month }: store.ChargedMonth): AsyncGenerator<Finding> {
  const read = () => store.miscountedCharges(db, user_id, month, nextMonth(month));
  const first = await read();
  if (first.length === 0 || (await store.wasChargedHourly(db, user_id, month))) return;
  const current = new Set((await read()).map(({ bucket_id }) => bucket_id));
  for (const { bucket_id } of first) {
    if (!current.has(bucket_id)) continue;
    const text = `the bucket's charges of ${monthText(month)} differ from those of its days`;
    yield { kind: 'ledger', subject: bucket_id, text };
  }
}

type MeteredBucket = { id: string; usage: number; billed: number; change: number };

const wrongAbout = ({ usage, billed, change }: MeteredBucket) => usage !== billed + change;

/** Yields a finding where a bucket that was read a second time is still wrong. */
function* again(bucket: MeteredBucket | undefined): Generator<Finding> {
  if (!bucket || !wrongAbout(bucket)) return;
  const charged = bucket.billed + bucket.change;
  const text = `the bucket is charged for ${charged} bytes, its total is ${bucket.usage}`;
  yield { kind: 'ledger', subject: bucket.id, text };
}

/** A month is shorter than 32 days, and the next one is longer than 4. */
const nextMonth = (month: number) => monthOf(month + 32 * DAY);
const monthText = (month: number) => new Date(month).toISOString().slice(0, 7);

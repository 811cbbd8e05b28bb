import { expect, test } from 'bun:test';
import { DAY, GIB, HOUR, MINUTE } from '../../../contract/limits.ts';
import { needsReview, reviewTimeOf } from './review-time.ts';

const NOW = Date.parse('2026-03-10T00:30:00.000Z');
const PRICE = 30_000;
/** Stored, this costs 1,000 micro-USD an hour. */
const BYTES = 24 * GIB;

const times: [string, { balance: number; stored: number }, number | null][] = [
  ['a balance above a dollar until it is one', { balance: 1_006_000, stored: BYTES }, 6 * HOUR],
  ['a low balance until it is used up', { balance: 6_000, stored: BYTES }, 6 * HOUR],
  ['a balance of zero until it is below', { balance: 0, stored: BYTES }, MINUTE],
  ['a balance below zero until it is overdrawn', { balance: -1, stored: BYTES }, 6 * HOUR],
  ['a balance that is overdrawn', { balance: -6_001, stored: BYTES }, null],
  ['a balance that is enough for two days', { balance: 48_000, stored: BYTES }, null],
  ['a balance that nothing uses', { balance: 1, stored: 0 }, null],
  ['a balance that is used up in a moment', { balance: 1, stored: BYTES }, MINUTE],
];
for (const [what, { balance, stored }, after] of times) {
  test(`${what} is reviewed ${after === null ? 'without a plan' : `after ${after} ms`}`, () => {
    const at = reviewTimeOf({ balance, stored, price: PRICE, credit_limit: 6_000, from: NOW });
    expect(at).toBe(after === null ? null : NOW + after);
  });
}

const account = { balance: 6_000, stored: BYTES, level: 1, credit_limit: 0 };
const reviews: [string, Parameters<typeof needsReview>[0], boolean][] = [
  ['another level', { ...account, level: 0, review_at: NOW }, true],
  ['a plan that is right', { ...account, review_at: NOW + 6 * HOUR }, false],
  ['a plan that is too early', { ...account, review_at: NOW + HOUR }, false],
  ['a plan that is too late', { ...account, review_at: NOW + 7 * HOUR }, true],
  ['no plan', { ...account, review_at: null }, true],
  ['no plan and no need of one', { ...account, stored: 0, review_at: null }, false],
  ['the plan of its notices', { ...account, balance: -1, level: 4, review_at: NOW + DAY }, false],
  [
    'the plan of its notices, before which it is overdrawn',
    { ...account, balance: -1, level: 3, credit_limit: 6_000, review_at: NOW + DAY },
    true,
  ],
];
for (const [what, one, expected] of reviews) {
  test(`an account with ${what} ${expected ? 'is' : 'is not'} to be reviewed`, () => {
    expect(needsReview(one, { now: NOW, price: PRICE })).toBe(expected);
  });
}

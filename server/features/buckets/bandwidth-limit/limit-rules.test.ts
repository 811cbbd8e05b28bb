import { expect, test } from 'bun:test';
import { GIB } from '../../../contract/limits.ts';
import { decideLimits, type LimitPeriod } from './limit-rules.ts';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const ENDS = { month: Date.parse('2026-12-01T00:00:00Z'), day: Date.parse('2026-11-24T00:00:00Z') };
const LAST_ENDS = {
  month: Date.parse('2026-11-01T00:00:00Z'),
  day: Date.parse('2026-11-23T00:00:00Z'),
};

type Told = 'now' | 'before' | null;
type Case = [
  name: string,
  limit: number | null,
  used: number,
  /** The period in which the owner was told last, and the share that they were told of. */
  told: [when: Told, percent: number | null],
  percent: number | null,
  isTold: boolean,
];

const CASES: Case[] = [
  ['no limit', null, 1e15, [null, null], null, false],
  ['a byte below half', 10, 4, [null, null], null, false],
  ['half', 10, 5, [null, null], 50, true],
  ['half again', 10, 6, ['now', 50], 50, false],
  ['80%', 10, 8, ['now', 50], 80, true],
  ['80% again', 10, 9, ['now', 80], 80, false],
  ['80% in another period', 10, 8, ['before', 100], 80, true],
  ['100%', 10, 10, ['now', 80], 100, true],
  ['100% without a warning before', GIB, 2 * GIB, [null, null], 100, true],
  ['100% again', 10, 11, ['now', 100], 100, false],
  ['100% in another period', 10, 10, ['before', 100], 100, true],
  ['nothing yet in another period', 10, 0, ['before', 100], null, false],
];

const COLUMNS = {
  month: ['bandwidth_limit', 'bandwidth_warned_until', 'bandwidth_warned_percent'],
  day: ['bandwidth_daily_limit', 'bandwidth_day_warned_until', 'bandwidth_day_warned_percent'],
} as const;
const NO_LIMITS = {
  bandwidth_limit: null,
  bandwidth_warned_until: null,
  bandwidth_warned_percent: null,
  bandwidth_daily_limit: null,
  bandwidth_day_warned_until: null,
  bandwidth_day_warned_percent: null,
  delivery_stopped_until: null,
};

for (const period of ['month', 'day'] satisfies LimitPeriod[]) {
  test.each(CASES)(`%s of a ${period}`, (_, limit, used, [when, told], percent, isTold) => {
    const [limitColumn, untilColumn, percentColumn] = COLUMNS[period];
    const end = ENDS[period];
    const until = when && { now: end, before: LAST_ENDS[period] }[when];
    const bucket = {
      ...NO_LIMITS,
      [limitColumn]: limit,
      [untilColumn]: until,
      [percentColumn]: told,
    };
    const sent = { month: 0, day: 0, [period]: used };
    const { state, notices } = decideLimits(bucket, sent, NOW);
    expect(state[untilColumn]).toBe(percent === null ? null : end);
    expect(state[percentColumn]).toBe(percent);
    expect(state.delivery_stopped_until).toBe(percent === 100 ? end : null);
    const notice = { period, percent: percent ?? 0, limit: limit ?? 0, until: end };
    expect(notices).toEqual(isTold ? [notice] : []);
  });
}

test('a limit of the day and of the month that are both reached stop the bucket until the month ends', () => {
  const bucket = { ...NO_LIMITS, bandwidth_limit: 10, bandwidth_daily_limit: 5 };
  const { state, notices } = decideLimits(bucket, { month: 10, day: 5 }, NOW);
  expect(state.delivery_stopped_until).toBe(ENDS.month);
  expect(notices.map(({ period, percent }) => [period, percent])).toEqual([
    ['day', 100],
    ['month', 100],
  ]);
});

import { expect, test } from 'bun:test';
import { GIB } from '../../../contract/limits.ts';
import { decideLimit, type LimitNotice } from './limit-rules.ts';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const END = Date.parse('2026-12-01T00:00:00Z');
const LAST_END = Date.parse('2026-11-01T00:00:00Z');

type Case = [
  name: string,
  limit: number | null,
  used: number,
  warned: number | null,
  stopped: number | null,
  after: [warned: number | null, stopped: number | null, notice: LimitNotice | null],
];

const CASES: Case[] = [
  ['no limit', null, 1e15, null, null, [null, null, null]],
  ['a byte below 80%', 10, 7, null, null, [null, null, null]],
  ['80%', 10, 8, null, null, [END, null, 'near']],
  ['80% again', 10, 9, END, null, [END, null, null]],
  ['80% in another month', 10, 8, LAST_END, LAST_END, [END, null, 'near']],
  ['100%', 10, 10, END, null, [END, END, 'reached']],
  ['100% without a warning before', GIB, 2 * GIB, null, null, [END, END, 'reached']],
  ['100% again', 10, 11, END, END, [END, END, null]],
  ['100% in another month', 10, 10, LAST_END, LAST_END, [END, END, 'reached']],
  ['nothing yet in another month', 10, 0, LAST_END, LAST_END, [null, null, null]],
];

test.each(CASES)('%s', (_, bandwidth_limit, used, warned, stopped, after) => {
  const bucket = {
    bandwidth_limit,
    bandwidth_warned_until: warned,
    delivery_stopped_until: stopped,
  };
  const { state, notice } = decideLimit(bucket, used, NOW);
  expect([state.bandwidth_warned_until, state.delivery_stopped_until, notice]).toEqual(after);
});

import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { adviceOf, type ClockReading, describeDoubt, judgeClock } from './judge-clock.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const UPTIME = 5 * DAY;
const STORED = { trusted_at: NOON, boot_id: 'a', uptime: UPTIME };

/** A reading after the machine has run on for `ran`, whose clock has moved by `moved`. */
const after = (moved: number, ran: number, change: Partial<ClockReading> = {}): ClockReading => ({
  wall: NOON + moved,
  bootId: 'a',
  uptime: UPTIME + ran,
  synchronizedAt: null,
  databaseTime: null,
  ...change,
});
/** The same after the machine was started again, `ran` ago. */
const rebooted = (moved: number, change: Partial<ClockReading> = {}) =>
  after(moved, MINUTE - UPTIME, { bootId: 'b', ...change });
const synchronized = (moved: number) => ({ synchronizedAt: NOON + moved });

describe('a clock is trusted', () => {
  const cases: [string, ClockReading][] = [
    ['that moves as time passes', after(15 * SECOND, 15 * SECOND)],
    ['after a leap second, or while one is smeared', after(DAY, DAY + SECOND)],
    [
      'that is an hour off because it was in local time, or daylight saving has begun',
      after(HOUR, 0),
    ],
    ['that is set back by an hour', after(-HOUR, 0)],
    [
      'after the server was off for a week on a running machine, or one that slept',
      after(7 * DAY, 7 * DAY),
    ],
    ['after the machine was off for less than two hours', rebooted(2 * HOUR)],
    [
      'after the machine was off for a week, once a time server has confirmed it',
      rebooted(7 * DAY, synchronized(7 * DAY - MINUTE)),
    ],
    [
      'after a step that a time server has made',
      after(7 * DAY, MINUTE, synchronized(7 * DAY - MINUTE)),
    ],
    [
      'after a step back that a time server has made',
      after(-7 * DAY, MINUTE, synchronized(-7 * DAY - MINUTE)),
    ],
    [
      'that differs from that of the database by an hour',
      after(0, 0, { databaseTime: NOON - HOUR }),
    ],
  ];
  test.each(cases)('%s', (_, reading) => {
    expect(judgeClock(reading, STORED, null)).toBeNull();
    expect(judgeClock(reading, null, null)).toBeNull();
  });
});

describe('a clock is doubted', () => {
  const cases: [string, ClockReading, string, number][] = [
    [
      'that steps ahead while the machine runs',
      after(30 * DAY, MINUTE),
      'stepped',
      30 * DAY - MINUTE,
    ],
    [
      'that steps back while the machine runs',
      after(-30 * DAY, MINUTE),
      'stepped',
      -30 * DAY - MINUTE,
    ],
    ['that steps ahead while the server is off', after(31 * DAY, DAY), 'stepped', 30 * DAY],
    [
      'that steps after a time server has answered',
      after(30 * DAY, MINUTE, synchronized(0)),
      'stepped',
      30 * DAY - MINUTE,
    ],
    [
      'that steps back to before a time server has answered',
      after(-DAY, MINUTE, synchronized(0)),
      'stepped',
      -DAY - MINUTE,
    ],
    ['that is ahead after a restart of the machine', rebooted(7 * DAY), 'unconfirmed', 7 * DAY],
    ['that is behind after a restart of the machine', rebooted(-7 * DAY), 'stepped', -7 * DAY],
    [
      'that is ahead of the database',
      after(MINUTE, MINUTE, { databaseTime: NOON - 3 * HOUR }),
      'database',
      3 * HOUR + MINUTE,
    ],
    [
      'that is behind the database, whatever a time server says',
      after(0, 0, { databaseTime: NOON + DAY, ...synchronized(0) }),
      'database',
      -DAY,
    ],
  ];
  test.each(cases)('%s', (_, reading, reason, aheadMs) => {
    expect(judgeClock(reading, STORED, null)).toEqual({ reason, aheadMs } as never);
  });

  test('by what this process has seen, where another machine has written the time last', () => {
    const own = { ...STORED, trusted_at: NOON - MINUTE };
    const elsewhere = { ...STORED, boot_id: 'z' };
    const reading = after(30 * DAY, 0);
    expect(judgeClock(reading, elsewhere, null)?.reason).toBe('unconfirmed');
    expect(judgeClock(reading, elsewhere, own)?.reason).toBe('stepped');
  });

  test('until an operator confirms it, which stores its time', () => {
    const confirmed = { ...STORED, trusted_at: NOON + 30 * DAY };
    expect(judgeClock(after(30 * DAY, MINUTE), confirmed, STORED)).toBeNull();
  });
});

test('a doubt is described with what to do', () => {
  const text = (reason: 'stepped' | 'unconfirmed' | 'database', aheadMs: number) =>
    `${describeDoubt({ reason, aheadMs })} ${adviceOf({ reason, aheadMs })}`;
  expect([
    text('stepped', 30 * DAY),
    text('stepped', -3 * HOUR),
    text('unconfirmed', 7 * DAY),
    text('database', -5 * HOUR),
  ]).toEqual([
    'The clock was set forward by 30 days. Correct the clock, or run wharf admin confirm-clock if it is right.',
    'The clock was set back by 3 hours. Correct the clock, or run wharf admin confirm-clock if it is right.',
    'By its clock the server was off for 7 days, which no time server has confirmed. Correct the clock, or run wharf admin confirm-clock if it is right.',
    "The clock is 5 hours behind the database's clock. Synchronise the clocks of both machines with NTP.",
  ]);
});

import { describe, expect, test } from 'bun:test';
import { DAY } from '../../../contract/limits.ts';
import { levelOf } from '../ledger/levels.ts';
import type { DunningState } from '../tables.ts';
import { decideDunning, type Notice } from './dunning-rules.ts';

const START = Date.parse('2026-01-01');

/** An account over time: what its owner is told and what becomes of its buckets, step by step. */
function account(balance: number, takesPayments = true, creditLimit = 5e6) {
  let now = START;
  let money = balance;
  let state: DunningState = {
    level: levelOf(balance, creditLimit),
    below_since: null,
    paused_at: null,
    delivery_until: null,
    notices: 0,
    delete_at: null,
    review_at: 0,
  };
  let pays = takesPayments;
  return {
    at: (day: number) => {
      now = START + day * DAY;
    },
    has: (amount: number) => {
      money = amount;
    },
    canPay: (can: boolean) => {
      pays = can;
    },
    look(): [Notice | null, string] {
      const decision = decideDunning(
        { balance: money, credit_limit: creditLimit, ...state },
        now,
        pays,
      );
      state = decision.state;
      const isSuspended = state.delivery_until !== null;
      return [decision.notice, decision.isDeletionDue ? 'delete' : isSuspended ? 'suspend' : 'run'];
    },
    state: () => state,
  };
}

describe('mails about a balance', () => {
  const steps: [string, number[], (Notice | null)[]][] = [
    ['low once at a dollar', [5, 1, 0.9, 0.2], [null, 'low', null, null]],
    ['used up once at nothing', [0.5, 0, 0], [null, 'empty', null]],
    ['only the worse of two steps', [5, 0], [null, 'empty']],
    ['again after a payment', [0.5, 3, 0.5], [null, null, 'low']],
    ['nothing when it rises', [0.2, 0.9, 4], [null, null, null]],
    ['nothing of the credit that an account begins with', [1, 0.99], [null, null]],
    ['one mail, not two, when it falls through zero', [5, -1, -2], [null, 'suspended', null]],
  ];
  for (const [what, balances, notices] of steps) {
    test(`say ${what}`, () => {
      const it = account((balances[0] ?? 0) * 1e6);
      expect(
        balances.map((usd) => {
          it.has(usd * 1e6);
          return it.look()[0];
        }),
      ).toEqual(notices);
    });
  }

  test('without a way to pay say that it is used up, and nothing is suspended', () => {
    const it = account(5e6, false);
    it.has(-1);
    expect(it.look()).toEqual(['empty', 'run']);
    it.at(400);
    expect(it.look()).toEqual([null, 'run']);
  });
});

describe('an account below its credit limit', () => {
  test('is delivered no longer from then on, and its owner is told once', () => {
    const it = account(-1);
    it.look();
    it.at(1);
    it.has(-5e6);
    expect(it.look()).toEqual([null, 'suspend']);
    expect(it.state().delivery_until).toBe(START + 3 * DAY);
    it.has(-5e6 - 1);
    expect(it.look()).toEqual(['overdrawn', 'suspend']);
    expect(it.state().delivery_until).toBe(START + DAY);
    it.at(2);
    expect(it.look()).toEqual([null, 'suspend']);
    expect(it.state().delivery_until).toBe(START + DAY);
  });

  test('is delivered for the rest of the 72 hours after a payment that is not enough', () => {
    const it = account(-6e6);
    expect(it.look()).toEqual(['suspended', 'suspend']);
    expect(it.state().delivery_until).toBe(START);
    it.at(1);
    it.has(-1);
    expect(it.look()).toEqual([null, 'suspend']);
    expect(it.state().delivery_until).toBe(START + 3 * DAY);
  });

  test('is not told again after the 72 hours', () => {
    const it = account(-1);
    it.look();
    it.at(4);
    it.has(-6e6);
    expect(it.look()).toEqual([null, 'suspend']);
    expect(it.state().delivery_until).toBe(START + 3 * DAY);
  });

  test('is cut off below zero if it never paid', () => {
    const it = account(-1, true, 0);
    expect(it.look()).toEqual(['suspended', 'suspend']);
    expect(it.state().delivery_until).toBe(START);
  });
});

describe('an account below zero', () => {
  test('is told 7 days and 1 day before, and loses its files after 30, not earlier', () => {
    const it = account(-1);
    expect(it.look()).toEqual(['suspended', 'suspend']);
    for (const [day, notice, buckets] of [
      [22.99, null, 'suspend'],
      [23, 'will-delete', 'suspend'],
      [23.01, null, 'suspend'],
      [28.99, null, 'suspend'],
      [29, 'will-delete', 'suspend'],
      [29.99, null, 'suspend'],
      [30, 'deleted', 'delete'],
      [31, null, 'suspend'],
      [300, null, 'suspend'],
    ] as const) {
      it.at(day);
      expect([day, ...it.look()]).toEqual([day, notice, buckets]);
    }
  });

  test('is looked at again when the next step is due, and not before', () => {
    const it = account(-1);
    const due = [];
    for (let step = 0; step < 4; step += 1) {
      it.look();
      const at = it.state().review_at;
      due.push(at === null ? null : (at - START) / DAY);
      if (at !== null) it.at((at - START) / DAY);
    }
    expect(due).toEqual([23, 29, 30, null]);
  });

  test('that could not be told in time is given the time that the mails say', () => {
    const it = account(-1);
    it.look();
    it.at(100);
    expect(it.look()).toEqual(['will-delete', 'suspend']);
    it.at(105.9);
    expect(it.look()).toEqual([null, 'suspend']);
    it.at(110);
    expect(it.look()).toEqual(['will-delete', 'suspend']);
    it.at(110.9);
    expect(it.look()).toEqual([null, 'suspend']);
    it.at(111);
    expect(it.look()).toEqual(['deleted', 'delete']);
  });

  test('runs again when it is topped up, and begins anew when it falls again', () => {
    const it = account(-1);
    it.look();
    it.at(29);
    it.look();
    it.has(5e6);
    expect(it.look()).toEqual([null, 'run']);
    expect(it.state()).toMatchObject({ below_since: null, notices: 0, delete_at: null });
    expect(it.state()).toMatchObject({ paused_at: null, delivery_until: null });
    it.has(-1);
    expect(it.look()).toEqual(['suspended', 'suspend']);
    it.at(40);
    expect(it.look()).toEqual([null, 'suspend']);
  });

  test('that is exactly at zero is not below it', () => {
    const it = account(-1);
    it.look();
    it.has(0);
    expect(it.look()).toEqual([null, 'run']);
  });

  test('is delivered for 72 hours', () => {
    const it = account(-1);
    it.look();
    expect(it.state().delivery_until).toBe(START + 3 * DAY);
    it.at(2);
    it.look();
    expect(it.state().delivery_until).toBe(START + 3 * DAY);
  });

  test('runs while there is no way to pay, and its time goes on where it stopped', () => {
    const it = account(-1);
    it.look();
    it.at(10);
    it.canPay(false);
    expect(it.look()).toEqual([null, 'run']);
    it.at(20);
    expect(it.look()).toEqual([null, 'run']);
    it.at(100);
    it.canPay(true);
    expect(it.look()).toEqual([null, 'suspend']);
    expect(it.state()).toMatchObject({ below_since: START + 90 * DAY, paused_at: null });
    for (const [day, notice, buckets] of [
      [112.99, null, 'suspend'],
      [113, 'will-delete', 'suspend'],
      [119, 'will-delete', 'suspend'],
      [120, 'deleted', 'delete'],
    ] as const) {
      it.at(day);
      expect([day, ...it.look()]).toEqual([day, notice, buckets]);
    }
  });

  test('that was told of its deletion is left the time of that mail after a pause', () => {
    const it = account(-1);
    it.look();
    it.at(29);
    it.look();
    it.look();
    it.canPay(false);
    it.look();
    it.at(300);
    it.canPay(true);
    it.look();
    it.at(300.99);
    expect(it.look()[1]).toBe('suspend');
  });

  test('is suspended from the day on which there is a way to pay', () => {
    const it = account(-1, false);
    it.look();
    it.at(100);
    it.canPay(true);
    expect(it.look()).toEqual(['suspended', 'suspend']);
    expect(it.state().below_since).toBe(START + 100 * DAY);
  });
});

import { expect } from 'bun:test';
import { DAY, GIB, HOUR } from '../../../server/contract/limits.ts';
import { newId } from '../../../server/platform/ids.ts';
import { rounds } from '../../support/fixtures/torture.ts';
import type { Phase } from './phase.ts';
import { CREDIT, TODAY } from './scene.ts';

const ACCOUNTS = rounds(1000, 200);
/** Of each account. One transaction charges fewer accounts, and a single day of them. */
const [BUCKETS, DAYS] = [2, 3];
/** The prices in micro-USD of a GiB that is sent or uploaded, and of one that is stored for a day. */
const [TRAFFIC_PRICE, STORAGE_PRICE] = [5000, 1000];

/** Charges for several days that are over, of accounts that stored, sent and uploaded something. */
export function dailyCharging(): Phase {
  /** What each account is charged on all days, in micro-USD. */
  const costs = new Map<string, number>();

  return {
    name: 'the charges of several days',

    leaveWork(scene) {
      const ids = Array.from({ length: ACCOUNTS }, () => newId(Date.now()));
      scene.addAccounts(ids);
      scene.insert(
        'usage_hours',
        ids.flatMap((id, n) => hoursOf(id, n % 3)),
      );
      for (const [n, id] of ids.entries()) costs.set(id, costOf(n % 3));
    },

    // The last account of a batch is posted after its usage is charged.
    countLeft: (scene) =>
      scene.count(
        `select (select count(*) from usage_hours where bucket_id like 'charged-%')
          + (select count(*) from ledger_accounts where charge_at <= ${TODAY}
            and closed_at is null and user_id not in (select user_id from usage_hours))`,
      ),

    check({ database }) {
      const charges = database
        .query(
          `select user_id, count(*) as charges, sum(amount) as amount, balance,
            (select sum(storage + bandwidth + upload) from charge_days where charge_days.user_id = account.user_id)
              as parts
          from ledger_accounts as account
          join (select user_id, amount from ledger_entries where kind = 'charge') using (user_id)
          where user_id in (select user_id from billed_buckets where bucket_id like 'charged-%')
          group by user_id order by user_id`,
        )
        .all();
      expect(charges).toEqual(
        [...costs].sort().map(([user_id, cost]) => {
          return { user_id, charges: DAYS, amount: -cost, balance: CREDIT - cost, parts: cost };
        }),
      );
    },
  };
}

/**
 * Returns the usage of an account, some GiB more on each day than others have. In the fourth hour of the first
 * day, each bucket starts to store a GiB, and in that of the last day it stores nothing any more.
 */
function hoursOf(userId: string, more: number) {
  return Array.from({ length: BUCKETS * DAYS }, (_, n) => {
    const ago = 1 + Math.floor(n / BUCKETS);
    const change = ago === DAYS ? 1 : ago === 1 ? -1 : 0;
    return {
      ...{ user_id: userId, bucket_id: `charged-${userId}-${n % BUCKETS}` },
      ...{ hour: TODAY - ago * DAY + 3 * HOUR, bandwidth: GIB * more, uploaded: GIB },
      ...{ stored_change: change * GIB, stored_gib_ms: change * HOUR, stored_byte_ms: 0 },
    };
  });
}

const costOf = (more: number) =>
  BUCKETS * (DAYS * (more + 1) * TRAFFIC_PRICE + (DAYS - 1) * STORAGE_PRICE);

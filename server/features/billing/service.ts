import { toUsd } from '../../contract/money.ts';
import { costsOf } from './charging/costs.ts';
import type { createHourlyCharging } from './charging/hourly-charging.ts';
import { inMicroUsd } from './charging/prices.ts';
import type { Prices } from './charging/pricing.ts';
import { createDunning } from './dunning/dunning.ts';
import { balanceOf } from './ledger/ledger.ts';
import { creditEarlier } from './ledger/signup-credit.ts';
import { listStatements, statementOf } from './statements/statements.ts';

export {
  createHourlyCharging as createCharges,
  type HourlyCharging as Charges,
} from './charging/hourly-charging.ts';
export { balanceOf, type Posting, post } from './ledger/ledger.ts';
export { giveSignupCredit } from './ledger/signup-credit.ts';
export type Billing = ReturnType<typeof createBilling>;

/** What accounts have, what they are charged, and what becomes of those that have nothing left. */
export function createBilling(
  options: Parameters<typeof createDunning>[0] & {
    charges: ReturnType<typeof createHourlyCharging>;
    prices: Prices;
    signupCredit: number;
  },
) {
  const { database, clock, charges, signupCredit } = options;
  const { db } = database;
  const prices = inMicroUsd(options.prices);
  const standing = createDunning(options);

  return {
    /** Micro-USD. */
    balance: (userId: string): Promise<number> => balanceOf(db, userId),

    /** USD with up to 6 decimals. */
    credit: async (userId: string) => ({ credit: toUsd(await balanceOf(db, userId)) }),

    /** This month so far, and what it will come to. */
    costs: (userId: string) => costsOf(db, userId, clock(), prices),

    statements: (userId: string) => listStatements(db, userId),

    /** Throws not-found. */
    statement: (userId: string, month: string) => statementOf(db, userId, month),

    /**
     * Call it when something has been posted and is committed: what the balance suspended runs
     * again, or the other way round. Otherwise the next round of the housekeeping does it.
     */
    review: standing.review,

    /** Takes up what configuration says now. `alone`: no other process works on this database. */
    async start({ alone }: { alone: boolean }): Promise<void> {
      await creditEarlier(database, signupCredit, clock());
      await charges.start({ alone });
      await standing.start();
    },

    /** Charges what is due, and looks at whom it is time to look at. */
    async round(): Promise<void> {
      try {
        await charges.round();
      } finally {
        await standing.round();
      }
    },
  };
}

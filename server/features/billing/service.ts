import { toUsd } from '../../contract/money.ts';
import type { Prices } from './charge.ts';
import type { createCharges } from './charges.ts';
import { costsOf } from './costs.ts';
import { balanceOf } from './ledger.ts';
import { inMicroUsd } from './prices.ts';
import { creditEarlier } from './signup-credit.ts';
import { createStanding } from './standing.ts';
import { listStatements, statementOf } from './statements.ts';

export { type Charges, createCharges } from './charges.ts';
export { balanceOf, type Posting, post } from './ledger.ts';
export { giveSignupCredit } from './signup-credit.ts';
export type Billing = ReturnType<typeof createBilling>;

/** What accounts have, what they are charged, and what becomes of those that have nothing left. */
export function createBilling(
  options: Parameters<typeof createStanding>[0] & {
    charges: ReturnType<typeof createCharges>;
    prices: Prices;
    signupCredit: number;
  },
) {
  const { database, clock, charges, signupCredit } = options;
  const { db } = database;
  const prices = inMicroUsd(options.prices);
  const standing = createStanding(options);

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

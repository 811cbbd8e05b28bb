import type { Tx } from '../../platform/db/port.ts';
import { post } from './ledger.ts';

/** Gives a new account what it begins with, `amount` in micro-USD, once. */
export const giveSignupCredit =
  (amount: number) =>
  async (tx: Tx, userId: string, at: number): Promise<void> => {
    if (amount === 0) return;
    await post(tx, { userId, kind: 'credit', amount, ref: `signup:${userId}`, at });
  };

import { OperatorError } from '../../config/operator-error.ts';
import { formatBalance, toMicroUsd, toUsd } from '../../contract/money.ts';
import { isUnavailable } from '../../errors.ts';
import { accountOf } from '../../features/accounts/service.ts';
import { balanceOf, grantCredit } from '../../features/billing/service.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { nobody, USAGE } from './errors.ts';

/** An amount with up to 6 digits before the point and 6 after it, which is exact in micro-USD. */
const AMOUNT = /^-?\d{1,6}(\.\d{1,6})?$/;
const ID = /^[\w.:-]{1,64}$/;
const OPTION = '--id';

/**
 * Adds credit to an account, once for each id, so that a command whose answer was lost can be repeated.
 * Throws OperatorError, and conflict where another credit was added with the id.
 */
export async function grantFromArgs(database: Database, args: string[]): Promise<void> {
  const { address, amount, id } = parseGrant(args);
  const now = Date.now();
  try {
    const balance = await database.transaction(async (tx) => {
      const userId = await accountOf(tx, address);
      if (!userId) throw nobody(address);
      await grantCredit(tx, { userId, amount, id, actor: 'system' }, now);
      return balanceOf(tx, userId);
    });
    process.stdout.write(`The balance of ${address} is now ${formatBalance(toUsd(balance))}.\n`);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new OperatorError(
      `${error.text} The credit may have been added. Repeat the command with ${OPTION} ${id} to add it once.`,
    );
  }
}

/** Parses the arguments by hand, because a negative amount looks like an option. */
function parseGrant(args: string[]): { address: string; amount: number; id: string } {
  const at = args.indexOf(OPTION);
  const id = at < 0 ? newId(Date.now()) : (args[at + 1] ?? '');
  const [address, usd, ...more] = at < 0 ? args : args.toSpliced(at, 2);
  if (!address || !usd || more.length > 0) throw new OperatorError(USAGE);
  if (!ID.test(id)) {
    throw new OperatorError(
      `${OPTION} takes up to 64 letters, digits and _ . : - such as order-17.`,
    );
  }
  if (!AMOUNT.test(usd) || Number(usd) === 0) {
    throw new OperatorError(`'${usd}' is not an amount in USD. Use a number such as 25 or -3.5.`);
  }
  return { address, amount: toMicroUsd(Number(usd)), id };
}

import { parseArgs } from 'node:util';
import { lazyProviders } from '../../adapters/external-services.ts';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { loadConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { formatBalance, toUsd } from '../../contract/money.ts';
import { AppError } from '../../errors.ts';
import {
  PROVIDER_NAMES,
  type RecoveredPayment,
  recoverPayments,
} from '../../features/billing/payments/service.ts';

const USAGE = 'Usage: wharf payments reconcile --since DATE, with a date such as 2026-11-21';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const OUTCOMES: Record<RecoveredPayment['outcome'], string> = {
  known: 'was credited before',
  credited: 'credited',
  owed: 'not credited, has to be refunded',
  unsettled: 'not confirmed by the provider',
  'no-account': 'not credited, no account is stored with it',
};

/**
 * Runs `payments reconcile`, which credits payments that the providers have and the database lacks.
 * Returns 1 if there is a payment that could not be settled.
 */
export async function runPayments(args: string[]): Promise<number> {
  const since = parseSince(args);
  const config = loadConfig();
  const providers = lazyProviders(config, Date.now);
  if (!providers.stripe && !providers.cryptomus) {
    throw new OperatorError("Payments aren't enabled. Set the provider's keys.");
  }
  const database = await openLiveDatabase(config);
  const deps = {
    database,
    clock: Date.now,
    providers,
    // A running server reviews the account in its next round.
    onSettled: async () => {},
    onError: (error: unknown) => void process.stderr.write(`${(error as Error).message}\n`),
  };
  const counts = { known: 0, credited: 0, owed: 0, unsettled: 0, 'no-account': 0 };
  try {
    for await (const payment of recoverPayments(deps, since)) {
      counts[payment.outcome] += 1;
      if (payment.outcome !== 'known') process.stdout.write(lineOf(payment));
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new OperatorError(`${error.message || error.text} Repeat the command to go on.`);
  } finally {
    await database.close();
  }
  const { known, credited, owed } = counts;
  const open = counts.unsettled + counts['no-account'];
  process.stderr.write(
    `${known} known, ${credited} credited, ${owed} to be refunded, ${open} not settled.\n`,
  );
  return open === 0 ? 0 : 1;
}

function parseSince(args: string[]): number {
  const [action, ...rest] = args;
  const { values } = parseArgs({ args: rest, options: { since: { type: 'string' } } });
  const since = DATE.test(values.since ?? '')
    ? Date.parse(`${values.since}T00:00:00Z`)
    : Number.NaN;
  if (action !== 'reconcile' || Number.isNaN(since)) throw new OperatorError(USAGE);
  return since;
}

function lineOf({ provider, paymentId, checkoutId, userId, amount, outcome }: RecoveredPayment) {
  const money = formatBalance(toUsd(amount));
  const account = userId === null ? '' : `, account ${userId}`;
  return `${PROVIDER_NAMES[provider]} ${checkoutId}, payment ${paymentId}${account}: ${money} ${OUTCOMES[outcome]}\n`;
}

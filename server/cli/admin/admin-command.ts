import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openEvents } from '../../adapters/database.ts';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { formatBalance, MICRO_USD, toUsd } from '../../contract/money.ts';
import {
  AccountBans,
  accountOf,
  resetPassword,
  SESSION_EVENTS,
} from '../../features/accounts/service.ts';
import { post } from '../../features/billing/service.ts';
import { BUCKET_EVENTS } from '../../features/buckets/service.ts';
import { record } from '../../platform/audit/record.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import { addressKey } from '../../platform/mail/address.ts';

const USAGE = 'Usage: admin credit ADDRESS USD, or admin ban, unban or reset-password ADDRESS';
/** Up to 12 digits, 6 of them after the point: exact in micro-USD. */
const AMOUNT = /^-?\d{1,6}(\.\d{1,6})?$/;

/** What an operator does to an account without a browser. Answers 0. */
export async function runAdmin(args: string[]): Promise<number> {
  const [action = '', ...rest] = args;
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (!run) throw new OperatorError(USAGE);
  const database = await openLiveDatabase(readConfig());
  try {
    await run(database, rest);
    return 0;
  } finally {
    await database.close();
  }
}

const ACTIONS: Record<string, (database: Database, args: string[]) => Promise<void>> = {
  async credit(database, args) {
    const [address, usd, ...more] = args;
    if (!address || !usd || more.length > 0) throw new OperatorError(USAGE);
    if (!AMOUNT.test(usd) || Number(usd) === 0) {
      throw new OperatorError(`'${usd}' is not an amount in USD. Use a number such as 25 or -3.5.`);
    }
    const amount = Math.round(Number(usd) * MICRO_USD);
    const now = Date.now();
    const entry = await database.transaction(async (tx) => {
      const userId = await accountOf(tx, address);
      if (!userId) throw nobody(address);
      const ref = `operator:${newId(now)}`;
      await record(tx, now, {
        section: 'payments',
        action: 'credit.granted',
        message: `Credit of $${Math.abs(Number(usd))} ${amount > 0 ? 'granted to' : 'deducted from'} an account.`,
        actor: 'system',
        subject: userId,
        details: { usd: Number(usd) },
      });
      return (await post(tx, { userId, kind: 'grant', amount, ref, at: now })).entry;
    });
    process.stdout.write(
      `The balance of ${address} is now ${formatBalance(toUsd(entry.balance))}.\n`,
    );
  },

  async ban(database, args) {
    await moderate(database, args, 'ban');
    process.stdout.write(
      `${args[0]} is banned: sessions have ended, keys, tokens and delivery stop within seconds.\n`,
    );
  },

  async unban(database, args) {
    await moderate(database, args, 'unban');
    process.stdout.write(`${args[0]} is banned no more, and can log in again.\n`);
  },

  async 'reset-password'(database, args) {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { stdin: { type: 'boolean', default: false } },
    });
    const [address] = positionals;
    if (!address || positionals.length > 1) throw new OperatorError(USAGE);
    const given = values.stdin ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : null;
    const password = given ?? randomBytes(15).toString('base64url');
    if (!(await resetPassword(database, address, password, Date.now()))) throw nobody(address);
    const shown = given === null ? `New password: ${password}\n` : 'Password changed.\n';
    process.stdout.write(`${shown}All sessions of ${address} were ended.\n`);
  },
};

/** Bans an account, or lifts its ban. Servers on PostgreSQL hear of it at once, one on SQLite notices within seconds. */
async function moderate(database: Database, [address, ...more]: string[], act: 'ban' | 'unban') {
  if (!address || more.length > 0) throw new OperatorError(USAGE);
  const userId = await accountOf(database.db, address);
  if (!userId) throw nobody(address);
  const config = readConfig();
  const events = await openEvents(config, (error) => process.stderr.write(`${error}\n`));
  try {
    const bans = new AccountBans({
      database,
      clock: Date.now,
      isAdmin: (emailKey) =>
        config.adminEmail !== null && emailKey === addressKey(config.adminEmail),
      async publishChange() {
        await events.publish(BUCKET_EVENTS, { userId });
        await events.publish(SESSION_EVENTS, { userId });
      },
    });
    await bans[act](userId, 'system');
  } finally {
    await events.close();
  }
}

const nobody = (address: string) => new OperatorError(`No account found for ${address}.`);

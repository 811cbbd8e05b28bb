import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openEvents } from '../../adapters/database.ts';
import { openLiveDatabase } from '../../adapters/operator.ts';
import { readConfig } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import {
  AccountBans,
  accountOf,
  resetPassword,
  SESSION_EVENTS,
} from '../../features/accounts/service.ts';
import { BUCKET_EVENTS } from '../../features/buckets/service.ts';
import type { Database } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import { addressKey } from '../../platform/mail/address.ts';
import { confirmClock } from './confirm-clock.ts';
import { nobody, USAGE } from './errors.ts';
import { grantFromArgs } from './grant-credit.ts';

/**
 * Runs `admin`, by which an operator manages an account without a browser. Returns the exit code 0.
 */
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
  credit: grantFromArgs,

  async ban(database, args) {
    await moderate(database, args, 'ban');
    process.stdout.write(
      `${args[0]} is banned: sessions have ended, keys, tokens and delivery stop within seconds.\n`,
    );
  },

  async unban(database, args) {
    await moderate(database, args, 'unban');
    process.stdout.write(`${args[0]} is no longer banned and can log in again.\n`);
  },

  async 'confirm-clock'(database, args) {
    if (args.length > 0) throw new OperatorError(USAGE);
    await confirmClock(database);
  },

  async 'reset-password'(database, args) {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { stdin: { type: 'boolean', default: false } },
    });
    const [address] = positionals;
    if (!address || positionals.length > 1) throw new OperatorError(USAGE);
    const stdinPassword = values.stdin ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : null;
    const password = stdinPassword ?? randomBytes(15).toString('base64url');
    const isReset = await withEvents(readConfig(), (events) => {
      const publishSessionEnd = (userId: string) => events.publish(SESSION_EVENTS, { userId });
      return resetPassword({ database, clock: Date.now, publishSessionEnd }, address, password);
    });
    if (!isReset) throw nobody(address);
    const message = stdinPassword === null ? `New password: ${password}\n` : 'Password changed.\n';
    process.stdout.write(`${message}All sessions of ${address} were ended.\n`);
  },
};

/** Bans an account, or lifts its ban. */
async function moderate(database: Database, [address, ...more]: string[], act: 'ban' | 'unban') {
  if (!address || more.length > 0) throw new OperatorError(USAGE);
  const userId = await accountOf(database.db, address);
  if (!userId) throw nobody(address);
  const config = readConfig();
  const adminKey = config.adminEmail && addressKey(config.adminEmail);
  await withEvents(config, (events) => {
    const bans = new AccountBans({
      database,
      clock: Date.now,
      isAdmin: (emailKey) => emailKey === adminKey,
      async publishChange() {
        await events.publish(BUCKET_EVENTS, { userId });
        await events.publish(SESSION_EVENTS, { userId });
      },
    });
    return bans[act](userId, 'system');
  });
}

/**
 * Runs work that publishes events. On PostgreSQL the running servers receive them at once. Those on
 * SQLite receive nothing from another process, and notice the change when their caches expire.
 */
async function withEvents<Result>(
  config: ReturnType<typeof readConfig>,
  work: (events: Events) => Promise<Result>,
): Promise<Result> {
  const events = await openEvents(config, (error) => process.stderr.write(`${error}\n`));
  try {
    return await work(events);
  } finally {
    await events.close();
  }
}

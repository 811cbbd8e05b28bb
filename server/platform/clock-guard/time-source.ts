import { readFileSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { SECOND } from '../../contract/limits.ts';
import { postgresTime } from '../db/database-time.ts';
import type { Database } from '../db/port.ts';

/** What a machine knows about time apart from its wall clock, which anybody can set. */
export type TimeSource = {
  /** Differs after each start of the machine. */
  bootId: string;
  /** Returns the milliseconds since the machine started, also those during which it was suspended. */
  uptime(): number;
  /** Returns when a time server last confirmed the wall clock, in epoch milliseconds; null if unknown. */
  synchronizedAt(): number | null;
  /** Returns the time of the database's clock in epoch milliseconds; null where it is the same clock. */
  databaseTime(database: Pick<Database, 'db' | 'engine'>): Promise<number | null>;
};

const BOOT_ID_PATH = '/proc/sys/kernel/random/boot_id';
/** systemd-timesyncd touches it whenever a time server has answered. A container may not have it. */
const SYNCHRONIZED_PATH = '/run/systemd/timesync/synchronized';

/** Returns what this machine knows. */
export function systemTime(): TimeSource {
  return {
    bootId: readBootId(),
    uptime: () => uptime() * SECOND,
    synchronizedAt: () => statSync(SYNCHRONIZED_PATH, { throwIfNoEntry: false })?.mtimeMs ?? null,
    databaseTime: async ({ db, engine }) => (engine === 'postgres' ? postgresTime(db) : null),
  };
}

/** Without Linux nothing is known about the time before this process. */
function readBootId(): string {
  try {
    return readFileSync(BOOT_ID_PATH, 'utf8').trim();
  } catch {
    return crypto.randomUUID();
  }
}

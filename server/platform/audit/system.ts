import { LRUCache } from 'lru-cache';
import { DAY, HOUR } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/port.ts';
import { record } from './record.ts';
import { trimAudit } from './store.ts';

/** What fails every few seconds is said once in so long. */
const REPEATED = HOUR;
const REMEMBERED = 100;

export type SystemAudit = ReturnType<typeof createSystemAudit>;

/** What the server does by itself, in the audit log. Never throws: it must not stop what it tells of. */
export function createSystemAudit(options: {
  database: Database;
  clock: Clock;
  /** How long entries are kept. */
  auditRetentionDays: number;
  onError: (error: unknown) => void;
}) {
  const { database, clock, onError } = options;
  const said = new LRUCache<string, true>({ max: REMEMBERED, ttl: REPEATED });

  const note = async (action: string, message: string): Promise<void> => {
    const entry = { section: 'system', action, message, actor: 'system' } as const;
    await record(database.db, clock(), entry).catch(onError);
  };

  return {
    /** @param migrated names of the migrations that ran */
    async started(version: string, migrated: string[]): Promise<void> {
      if (migrated.length > 0) {
        await note('server.migrated', `Database migrated to ${migrated.at(-1)}.`);
      }
      await note('server.started', `Wharf ${version} started.`);
    },

    /** Removes entries that are older than they have to be. */
    trim: () => trimAudit(database, clock() - options.auditRetentionDays * DAY),

    /** @param chore what was being done */
    async failed(chore: string, error: unknown): Promise<void> {
      const message = `${chore} failed: ${String(error)}`;
      if (said.has(message)) return;
      said.set(message, true);
      await note('housekeeping.failed', message);
    },
  };
}

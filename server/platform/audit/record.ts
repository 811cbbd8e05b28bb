import { LRUCache } from 'lru-cache';
import { monotonicFactory } from 'ulid';
import type { AuditSection } from '../../contract/audit.ts';
import { DAY, HOUR } from '../../contract/limits.ts';
import { truncate } from '../../contract/units.ts';
import type { Clock } from '../clock.ts';
import { foldName } from '../db/listing.ts';
import type { Database, Executor } from '../db/port.ts';
import { insertEntry, trimAudit } from './store.ts';

/** What fails every few seconds is said once in so long. */
const REPEATED_FAILURE_TTL_MS = HOUR;
const MAX_REMEMBERED_FAILURES = 100;

/** A user by id, whoever holds a bucket's key or a token, or the server by itself. */
export type Actor = { userId: string } | 'key' | 'system';

export type AuditEntry = {
  section: AuditSection;
  /** For programs: 'bucket.banned'. */
  action: string;
  /** For people, one sentence. Never an address, a token or a secret: the row outlives the account. */
  message: string;
  actor: Actor;
  /** The id of what it is about. */
  subject?: string | null;
  details?: Record<string, string | number | boolean | null>;
};

const MESSAGE_MAX = 300;
/** Entries of one millisecond keep their order; those of others have ids of their own time. */
let latest = { at: -1, next: monotonicFactory() };
const nextId = (at: number) => {
  if (at !== latest.at) latest = { at, next: monotonicFactory() };
  return latest.next(at).toLowerCase();
};

/**
 * Writes what was done into the audit log, in the transaction of the act: both happen or neither
 * does. Nothing changes the row afterwards; the database sees to that.
 * @param at epoch milliseconds
 */
export async function record(tx: Executor, at: number, entry: AuditEntry): Promise<void> {
  const { actor } = entry;
  const isUser = typeof actor === 'object';
  const message = truncate(entry.message.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MESSAGE_MAX);
  await insertEntry(tx, {
    id: nextId(at),
    section: entry.section,
    action: entry.action,
    message,
    message_key: foldName(message),
    actor: isUser ? 'user' : actor,
    actor_id: isUser ? actor.userId : null,
    subject_id: entry.subject ?? null,
    details: JSON.stringify(entry.details ?? {}),
    created_at: at,
  });
}

/** A name as messages quote it. */
export const quoted = (name: string): string => `“${truncate(name)}”`;

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
  const said = new LRUCache<string, true>({
    max: MAX_REMEMBERED_FAILURES,
    ttl: REPEATED_FAILURE_TTL_MS,
  });

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

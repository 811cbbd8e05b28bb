import { LRUCache } from 'lru-cache';
import { monotonicFactory } from 'ulid';
import type { AuditSection } from '../../contract/audit.ts';
import { DAY, HOUR } from '../../contract/limits.ts';
import { truncate } from '../../contract/units.ts';
import type { Clock } from '../clock.ts';
import { runStatements, type Statement } from '../db/batch.ts';
import { foldName } from '../db/listing.ts';
import type { Database, Executor } from '../db/port.ts';
import { entryInsertion, trimAudit } from './store.ts';
import type { AuditRow } from './tables.ts';

/** A failure that repeats every few seconds is recorded once in this time. */
const REPEATED_FAILURE_TTL_MS = HOUR;
const MAX_REMEMBERED_FAILURES = 100;

/** Who did it: a user, the holder of an API key or of a token that it has created, or the server itself. */
export type Actor = { userId: string } | { keyId: string } | 'system';

/** Returns the id of the user who did it; null where it was somebody else. */
export const userOf = (actor: Actor): string | null =>
  actor !== 'system' && 'userId' in actor ? actor.userId : null;

export type AuditEntry = {
  section: AuditSection;
  /** The machine code of the action, such as 'bucket.banned'. */
  action: string;
  /**
   * One sentence for the admin. It never contains an address, a token or a secret, because the row outlives
   * the account.
   */
  message: string;
  actor: Actor;
  /** The id of the row that the action is about. */
  subject?: string | null;
  details?: Record<string, string | number | boolean | null>;
};

const MAX_MESSAGE_LENGTH = 300;
/** The ids of entries of one millisecond keep their order. Other milliseconds start with new random bits. */
let latest = { at: -1, next: monotonicFactory() };
const nextId = (at: number) => {
  if (at !== latest.at) latest = { at, next: monotonicFactory() };
  return latest.next(at).toLowerCase();
};

/**
 * Writes an entry into the audit log, in the transaction of the action itself, so that both happen or
 * neither does. Triggers in the database reject later changes to the row.
 * @param at epoch milliseconds
 */
export async function record(tx: Executor, at: number, entry: AuditEntry): Promise<void> {
  await runStatements(tx, [recording(tx, at, entry)]);
}

/** Returns the statement that does so in a batch. */
export function recording(db: Executor, at: number, entry: AuditEntry): Statement {
  const message = truncate(entry.message.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_MESSAGE_LENGTH);
  return entryInsertion(db, {
    id: nextId(at),
    section: entry.section,
    action: entry.action,
    message,
    message_key: foldName(message),
    ...columnsOf(entry.actor),
    subject_id: entry.subject ?? null,
    details: JSON.stringify(entry.details ?? {}),
    created_at: at,
  });
}

function columnsOf(actor: Actor): Pick<AuditRow, 'actor' | 'actor_id'> {
  if (actor === 'system') return { actor, actor_id: null };
  if ('keyId' in actor) return { actor: 'key', actor_id: actor.keyId };
  return { actor: 'user', actor_id: actor.userId };
}

/** Returns a name as messages quote it. */
export const quoted = (name: string): string => `“${truncate(name)}”`;

export type SystemAudit = ReturnType<typeof createSystemAudit>;

/**
 * Records what the server does by itself. Its methods never throw, because a failure to record must not
 * stop the work.
 */
export function createSystemAudit(options: {
  database: Database;
  clock: Clock;
  /** Days for which entries are kept. */
  auditRetentionDays: number;
  onError: (error: unknown) => void;
}) {
  const { database, clock, onError } = options;
  const reported = new LRUCache<string, true>({
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

    /** @param count of the values that were encrypted with the current secret */
    resealed: (count: number) =>
      note('server.resealed', `${count} values encrypted with the new secret.`),

    /** @param text what is wrong with the clock; null where it is right again */
    clockChanged: (text: string | null) =>
      text === null
        ? note('clock.trusted', 'The clock is trusted again. Charges and deletions continue.')
        : note('clock.doubted', `${text} Charges and deletions are paused.`),

    /** Deletes entries that are older than the retention. */
    trim: (signal: AbortSignal) =>
      trimAudit(database, clock() - options.auditRetentionDays * DAY, signal),

    /** @param chore name of the work that failed, which begins the message */
    async failed(chore: string, error: unknown): Promise<void> {
      const message = `${chore} failed: ${String(error)}`;
      if (reported.has(message)) return;
      reported.set(message, true);
      await note('housekeeping.failed', message);
    },
  };
}

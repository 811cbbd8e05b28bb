import type { Generated } from 'kysely';

/** Objects that are deleted after `not_before`, unless the row is gone by then. */
export type PendingDeleteRow = {
  /** Ends in '/'. Without it, it is the key of one object. */
  prefix: string;
  /** When the objects are deleted, or that is attempted again; epoch milliseconds. */
  not_before: number;
  /** When the delete started, after which it can't be cancelled; null until then. */
  started_at: number | null;
  /** When the objects were deleted for the first time; null until then. */
  deleted_at: number | null;
  /** How often it has failed in a row, and why it did last. */
  failures: number;
  error: string | null;
  /** The account whose unfinished upload stores below the prefix; null for everything else. */
  user_id: string | null;
  /** How many bytes that upload may store, which count for the account. */
  reserved_bytes: number | null;
};

/** Until `until`, no pending delete is carried out. */
export type DeletionPauseRow = { owner: string; until: number };

declare module '../db/tables.ts' {
  /** The tables of the storage by name. */
  interface Tables {
    pending_deletes: Omit<PendingDeleteRow, 'failures'> & { failures: Generated<number> };
    deletion_pauses: DeletionPauseRow;
  }
}

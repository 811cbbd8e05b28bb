/** Objects that are deleted after `not_before`, unless the row is gone by then. */
export type PendingDeleteRow = {
  /** Ends in '/'. */
  prefix: string;
  /** Epoch milliseconds; a delete that has started has its start time as a negative number. */
  not_before: number;
  /** The account whose unfinished upload stores below the prefix; null for everything else. */
  user_id: string | null;
  /** How many bytes that upload may store, which count for the account. */
  reserved_bytes: number | null;
};

/** Until `until`, no pending delete is carried out. */
export type DeletionPauseRow = { owner: string; until: number };

/** The tables of the storage by name. */
export type StorageTables = {
  pending_deletes: PendingDeleteRow;
  deletion_pauses: DeletionPauseRow;
};

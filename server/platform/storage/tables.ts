/** Objects that a sweep removes once `not_before` has passed, unless the row is gone by then. */
export type PendingDeleteRow = {
  /** Ends in '/'. */
  prefix: string;
  /** Below zero where a sweep has begun: minus the time at which it did. */
  not_before: number;
};

/** Nothing is removed from the objects before `until`; see deletion-pause-store.ts. */
export type DeletionPauseRow = { owner: string; until: number };

/** The tables of the storage, by their names. */
export type StorageTables = {
  pending_deletes: PendingDeleteRow;
  deletion_pauses: DeletionPauseRow;
};

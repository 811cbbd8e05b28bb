import type { Database } from '../../platform/db/port.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';

export type CopySources = {
  database: Database;
  objects: Pick<ObjectStore, 'open' | 'list'>;
};

/** What an audit looks at, and nothing else. */
export type AuditSources = CopySources & {
  /** Unfinished local files that belong to no living process. */
  leftovers(): AsyncIterable<string>;
};

export type FindingKind =
  /** Stored, and no row knows of it. */
  | 'orphan'
  /** A row points where nothing is, or less than it says. */
  | 'missing'
  /** A file's or a bucket's total is not what is there. */
  | 'total'
  /** A balance, or a payment, is not what the ledger says. */
  | 'ledger'
  /** Objects that were to be deleted and are still there. */
  | 'overdue'
  /** An unfinished local file of a process that is gone. */
  | 'temporary';

export type Finding = {
  kind: FindingKind;
  /** An object key, a prefix, a path, or the id of a row. */
  subject: string;
  /** A sentence for a person. */
  text: string;
};

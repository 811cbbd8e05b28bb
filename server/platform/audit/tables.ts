import type { AuditActor, AuditSection } from '../../contract/audit.ts';

/** An entry of the audit log. Triggers reject changing it, and deleting it before its time. */
export type AuditRow = {
  id: string;
  section: AuditSection;
  action: string;
  message: string;
  /** The message as `foldName` folds it, for searches. */
  message_key: string;
  actor: AuditActor;
  /** The user, or the API key: the primary one has the id of its bucket. Null for the keys of earlier versions. */
  actor_id: string | null;
  subject_id: string | null;
  /** A JSON object of strings, numbers and booleans. */
  details: string;
  created_at: number;
};

/** Entries that the admin has hidden from the list. */
export type AuditHiddenRow = { log_id: string; hidden_at: number };

/** One row: entries from before this time (epoch milliseconds) may be deleted. */
export type AuditFloorRow = { id: number; before: number };

/** An address that an account had until a time (epoch milliseconds). It is deleted with the account. */
export type AuditAddressRow = { user_id: string; email: string; until: number };

declare module '../db/tables.ts' {
  /** The tables of the audit log by name. */
  interface Tables {
    audit_log: AuditRow;
    audit_hidden: AuditHiddenRow;
    audit_floor: AuditFloorRow;
    audit_addresses: AuditAddressRow;
  }
}

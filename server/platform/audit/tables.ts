import type { AuditActor, AuditSection } from '../../contract/audit.ts';

/** What somebody did; neither changed nor, before its time, deleted. */
export type AuditRow = {
  id: string;
  section: AuditSection;
  action: string;
  message: string;
  /** The message folded for searching. */
  message_key: string;
  actor: AuditActor;
  actor_id: string | null;
  subject_id: string | null;
  /** JSON of plain values. */
  details: string;
  created_at: number;
};

/** Entries that the admin does not want to see. */
export type AuditHiddenRow = { log_id: string; hidden_at: number };

/** Entries from before this moment may be deleted; one row. */
export type AuditFloorRow = { id: number; before: number };

/** The tables of the audit log, by their names. */
export type AuditTables = {
  audit_log: AuditRow;
  audit_hidden: AuditHiddenRow;
  audit_floor: AuditFloorRow;
};

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

/** What changed over all buckets on a day that is over. */
export type UsageTotalRow = { day: number; stored: number; bandwidth: number };

export type AdminTables = {
  audit_log: AuditRow;
  audit_hidden: AuditHiddenRow;
  audit_floor: AuditFloorRow;
  usage_totals: UsageTotalRow;
};

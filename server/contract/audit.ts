/** The sections of the audit log, and their names on the screen. */
export const AUDIT_SECTIONS = {
  buckets: 'Buckets',
  files: 'Files',
  users: 'Users',
  payments: 'Payments',
  system: 'System',
} as const;
export type AuditSection = keyof typeof AUDIT_SECTIONS;

/** Who acted: a logged-in user, the holder of a bucket's key or token, or the server itself. */
export type AuditActor = 'user' | 'key' | 'system';

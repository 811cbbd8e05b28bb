/** What the log is divided into, and what each part is called. */
export const AUDIT_SECTIONS = {
  buckets: 'Buckets',
  files: 'Files',
  users: 'Users',
  payments: 'Payments',
  system: 'System',
} as const;
export type AuditSection = keyof typeof AUDIT_SECTIONS;

/** Who did it: somebody logged in, whoever has a bucket's key or token, or the server by itself. */
export type AuditActor = 'user' | 'key' | 'system';

import { quoted, record } from '../../../platform/audit/record.ts';
import type { Executor } from '../../../platform/db/port.ts';

/** Records in the audit log that an access key was created or deleted, in the transaction of the action. */
export const recordS3KeyAudit = (
  tx: Executor,
  at: number,
  action: 'created' | 'deleted',
  key: { id: string; user_id: string; name: string },
): Promise<void> =>
  record(tx, at, {
    section: 'users',
    action: `s3-key.${action}`,
    message: `S3 access key ${quoted(key.name)} ${action}.`,
    actor: { userId: key.user_id },
    subject: key.user_id,
    details: { key: key.id },
  });

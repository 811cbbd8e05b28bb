import { type Actor, type AuditEntry, quoted, record } from '../../platform/audit/record.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { BucketRow } from './tables.ts';

const OUTCOMES = {
  created: 'created',
  'key-rolled': 'got a new API key; the old key and all tokens are revoked',
  'key-created': 'got another API key',
  'key-deleted': 'has one API key less; the key and its tokens are revoked',
  'token-created': 'got another access token',
  'token-revoked': 'has one access token less, which is revoked',
  changed: 'updated (name or webhook)',
  'bandwidth-limit-changed': 'bandwidth limits changed',
  'delivery-rules-changed': 'access rules changed',
  'upload-rules-changed': 'upload rules changed',
  'retention-changed': 'retention changed',
  's3-changed': 'S3 settings changed',
  'source-set': 'fetches missing files from another S3 server',
  'source-exclusions-cleared': 'fetches deleted files again',
  'source-removed': 'no longer fetches missing files from another S3 server',
  'tags-changed': 'tags changed',
  'webhook-secret-rolled': 'got a new webhook secret; the old one keeps signing for 24 hours',
  banned: 'banned',
  unbanned: 'unbanned',
  deleted: 'is being deleted',
  wiped: 'and all its files deleted',
};

/** Records an action on a bucket in the audit log, in the transaction of the action. */
export function recordBucketAudit(
  tx: Executor,
  now: number,
  row: Pick<BucketRow, 'id' | 'name' | 'user_id'>,
  action: keyof typeof OUTCOMES,
  actor: Actor,
  details: AuditEntry['details'] = {},
): Promise<void> {
  return record(tx, now, {
    section: 'buckets',
    action: `bucket.${action}`,
    message: `Bucket ${quoted(row.name)} ${OUTCOMES[action]}.`,
    actor,
    subject: row.id,
    details: { owner: row.user_id, ...details },
  });
}

import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { BucketRow } from './tables.ts';

const OUTCOMES = {
  created: 'was made',
  'key-rolled': 'got a new API key; the old one and all tokens are dead',
  changed: 'got another name or another webhook',
  'webhook-secret-rolled': 'got a new secret for its webhook; the old one signs for another day',
  banned: 'was banned',
  unbanned: 'is banned no more',
  deleted: 'is being deleted',
  wiped: 'is gone, with all that it held',
};

/** Writes an action on a bucket into the audit log, in the transaction of the action. */
export function recordBucketAudit(
  tx: Executor,
  now: number,
  row: Pick<BucketRow, 'id' | 'name' | 'user_id'>,
  action: keyof typeof OUTCOMES,
  actor: Actor,
): Promise<void> {
  return record(tx, now, {
    section: 'buckets',
    action: `bucket.${action}`,
    message: `Bucket ${quoted(row.name)} ${OUTCOMES[action]}.`,
    actor,
    subject: row.id,
    details: { owner: row.user_id },
  });
}

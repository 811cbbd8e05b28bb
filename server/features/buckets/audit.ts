import { type Actor, quoted, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { BucketRow } from '../../platform/db/tables.ts';

const ACTS = {
  created: 'was made',
  'key-rolled': 'got a new API key; the old one and all tokens are dead',
  changed: 'got another name or another webhook',
  'webhook-secret-rolled': 'got a new secret for its webhook; the old one signs for another day',
  banned: 'was banned',
  unbanned: 'is banned no more',
  deleted: 'is being deleted',
  wiped: 'is gone, with all that it held',
};

/** Writes into the audit log what was done with a bucket, in the transaction of the act. */
export const createBucketAudit =
  (clock: Clock) =>
  (
    tx: Executor,
    row: Pick<BucketRow, 'id' | 'name' | 'user_id'>,
    act: keyof typeof ACTS,
    actor: Actor,
  ): Promise<void> =>
    record(tx, clock(), {
      section: 'buckets',
      action: `bucket.${act}`,
      message: `Bucket ${quoted(row.name)} ${ACTS[act]}.`,
      actor,
      subject: row.id,
      details: { owner: row.user_id },
    });

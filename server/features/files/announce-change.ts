import { type Actor, type AuditEntry, recording } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Bucket, Webhooks } from '../buckets/service.ts';
import { FILE_EVENTS, type FileAddresses, fileEvent, NO_WORK, toFileWire } from './file-wire.ts';
import type { FileWithRegion } from './store.ts';

export type AnnouncementDeps = FileAddresses & {
  clock: Clock;
  events: Events;
  webhooks: Pick<Webhooks, 'announcements'>;
};

/** A file that has changed, and what the audit log says of that. */
type Change = { row: FileWithRegion } & Pick<AuditEntry, 'message' | 'details'>;

type Announcement = {
  type: 'file.moved' | 'file.updated' | 'file.restored' | 'file.deleted' | 'file.replaced';
  actor: Actor;
};

/** Returns the statements that tell the bucket's webhook of a file, for the batch that makes it true. */
export type FileAnnouncements = (
  db: Executor,
  type: 'file.success' | 'file.error' | 'file.updated',
  file: FileWithRegion,
) => Promise<Statement[]>;

/** Returns what writes the announcements of files. */
export const fileAnnouncements =
  (deps: FileAddresses & { webhooks: Pick<Webhooks, 'announcements'> }): FileAnnouncements =>
  (db, type, row) =>
    deps.webhooks.announcements(db, row.bucket_id, [
      { type, file: toFileWire(row, NO_WORK, deps) },
    ]);

/**
 * Tells the bucket's webhook, the audit log and all processes of files that have changed in the same way, in the
 * transaction that changes them.
 */
export async function announceChanges(
  tx: Tx,
  bucket: Pick<Bucket, 'id' | 'user_id'>,
  changes: Change[],
  { type, actor }: Announcement,
  deps: AnnouncementDeps,
): Promise<void> {
  const news = changes.map(({ row }) => ({ type, file: toFileWire(row, NO_WORK, deps) }));
  const now = deps.clock();
  await runStatements(tx, [
    ...(await deps.webhooks.announcements(tx, bucket.id, news)),
    ...changes.map(({ row, message, details }) =>
      recording(tx, now, {
        ...{ section: 'files', action: type, message, actor },
        ...{ subject: row.id, details: { bucket: bucket.id, ...details } },
      }),
    ),
  ]);
  for (const { row } of changes) {
    const subject = { id: row.id, bucketId: bucket.id, userId: bucket.user_id };
    await deps.events.publishIn(tx, FILE_EVENTS, fileEvent(type, subject, row.status, 100));
  }
}

import { type Actor, record } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statement } from '../../platform/db/batch.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import type { Events } from '../../platform/events/port.ts';
import type { Bucket, Webhooks } from '../buckets/service.ts';
import { FILE_EVENTS, type FileAddresses, fileEvent, NO_WORK, toFileWire } from './file-wire.ts';
import type { FileWithRegion } from './store.ts';

export type AnnouncementDeps = FileAddresses & {
  clock: Clock;
  events: Events;
  webhooks: Pick<Webhooks, 'announce'>;
};

type Announcement = {
  type: 'file.moved' | 'file.updated' | 'file.restored';
  /** The sentence of the audit log. */
  message: string;
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
 * Tells the bucket's webhook, the audit log and all processes of a changed file, in the transaction that changes it.
 * Returns the function to call after the commit, which tells this process.
 */
export async function announceChange(
  tx: Tx,
  bucket: Bucket,
  row: FileWithRegion,
  { type, message, actor }: Announcement,
  deps: AnnouncementDeps,
): Promise<() => void> {
  await deps.webhooks.announce(tx, bucket.id, [{ type, file: toFileWire(row, NO_WORK, deps) }]);
  await record(tx, deps.clock(), {
    ...{ section: 'files', action: type, message, actor },
    ...{ subject: row.id, details: { bucket: bucket.id } },
  });
  const subject = { id: row.id, bucketId: bucket.id, userId: bucket.user_id };
  const event = fileEvent(type, subject, row.status, 100);
  return deps.events.publishIn(tx, FILE_EVENTS, event);
}

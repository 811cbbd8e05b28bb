import type { FileEvent } from '../../contract/wire.ts';
import type { Events } from '../../platform/events/port.ts';

/** The topic of what happens to files. Its messages are `FileEventEnvelope`. */
export const FILE_EVENTS = 'files';

/** An event with the user whose browsers show it. */
export type FileEventEnvelope = { userId: string; event: FileEvent };

/** A file as an event names it. */
export type EventFile = { id: string; bucketId: string; userId: string };

/**
 * Tells the browsers of a file's owner what has happened to the file. `progress` is in per cent.
 */
export function publishFileEvent(
  events: Pick<Events, 'publish'>,
  type: FileEvent['type'],
  { id, bucketId, userId }: EventFile,
  status: FileEvent['status'],
  progress: number,
): Promise<void> {
  const event: FileEvent = { type, fileId: id, bucketId, status, progress };
  const envelope: FileEventEnvelope = { userId, event };
  return events.publish(FILE_EVENTS, envelope);
}

import type { FileEvent } from '../../contract/wire.ts';
import type { Events } from '../../platform/events/port.ts';

/** The topic on which file events are published. Its messages are `FileEventEnvelope`. */
export const FILE_EVENTS = 'files';

/** A file event and the user whose browsers receive it. */
export type FileEventEnvelope = { userId: string; event: FileEvent };

/** The file of an event. */
export type EventFile = { id: string; bucketId: string; userId: string };

/** Publishes an event to the browsers of a file's owner. `progress` is in per cent. */
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

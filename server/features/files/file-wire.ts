import type { FileEvent, FileType, FileWire } from '../../contract/wire.ts';
import type { Events } from '../../platform/events/port.ts';
import type { RegionRouter } from '../../platform/region-routing.ts';
import type { FileWithRegion } from './store.ts';

/** What the URLs of files and of the player start with. */
export type FileAddresses = { regionRouter: RegionRouter; appUrl: string };

/** Returns the URL of an object below a file's prefix; null where there is no object. */
export const fileUrl = (regionRouter: RegionRouter, row: FileWithRegion, name: string | null) =>
  name && `${regionRouter(row.region).cdnUrl}/${row.bucket_id}/${row.id}/${name}`;

/** Returns the URL of whatever file is at the path of this one. */
const pathUrl = (regionRouter: RegionRouter, { region, bucket_id, path }: FileWithRegion) =>
  `${regionRouter(region).cdnUrl}/${bucket_id}/~/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Whether a file is of a type that is processed. Any other is delivered as it was uploaded. */
export const isProcessed = ({ file_type }: { file_type: FileType }): boolean =>
  file_type === 'image' || file_type === 'video';

/** How far the processing of a file is, and its place in the line where it waits. */
export type FileWork = Pick<FileWire, 'progress' | 'queue_position' | 'queue_seconds'>;
export const NO_WORK: FileWork = { progress: 0, queue_position: null, queue_seconds: null };

/**
 * Returns a file as the API and the webhooks show it. What is known of its processing counts while it is
 * being processed.
 */
export function toFileWire(
  row: FileWithRegion,
  { progress, queue_position, queue_seconds }: FileWork,
  { regionRouter, appUrl }: FileAddresses,
): FileWire {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    replaces_path: row.replaces_path,
    content_type: row.content_type,
    size: row.size,
    file_type: row.file_type,
    access: row.access,
    status: row.status,
    progress: row.status === 'processing' ? progress : 100,
    queue_position,
    queue_seconds,
    date: new Date(row.created_at).toISOString(),
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    url: fileUrl(regionRouter, row, row.entry),
    path_url: row.entry && pathUrl(regionRouter, row),
    width: row.width,
    height: row.height,
    duration: row.duration,
    playable: row.playable === 1,
    thumbhash: row.thumb_hash,
    poster: fileUrl(regionRouter, row, row.poster),
    previews: fileUrl(regionRouter, row, row.previews),
    embed:
      row.file_type === 'video' && row.entry ? `${appUrl}/embed/${row.bucket_id}/${row.id}` : null,
    kept_original: isProcessed(row) && row.status === 'success' && row.blob_id !== null,
    webp_skipped: row.webp_skipped === 1,
    warning: row.warning,
    sha256: row.sha256,
    error: row.error,
    retry_until: row.retry_until === null ? null : new Date(row.retry_until).toISOString(),
  };
}

/** The topic on which file events are published. Its messages are `FileEventEnvelope`. */
export const FILE_EVENTS = 'files';

/** A file event and the user whose browsers receive it. */
export type FileEventEnvelope = { userId: string; event: FileEvent };

/** The file of an event. */
export type EventFile = { id: string; bucketId: string; userId: string };

/** Returns the message of an event. `progress` is in per cent. */
export const fileEvent = (
  type: FileEvent['type'],
  { id, bucketId, userId }: EventFile,
  status: FileEvent['status'],
  progress: number,
): FileEventEnvelope => ({
  userId,
  event: { type, file_id: id, bucket_id: bucketId, status, progress },
});

/** Publishes an event to the browsers of a file's owner. */
export const publishFileEvent = (
  events: Pick<Events, 'publish'>,
  ...event: Parameters<typeof fileEvent>
): Promise<void> => events.publish(FILE_EVENTS, fileEvent(...event));

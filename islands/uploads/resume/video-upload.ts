import { UPLOAD_TTL_MS } from '../../../server/contract/limits.ts';
import { ApiError } from '../../runtime/api-error.ts';
import type { Upload } from '../queue/upload-manager.ts';
import {
  bytesOf,
  hashFirstChunk,
  newClientId,
  sendVideo,
  type VideoUpload,
} from '../transport/send-video.ts';
import { removeVideo } from '../transport/upload-calls.ts';
import { type ResumableUpload, whileSending } from './resumable-uploads.ts';
import type { ResumeEntry } from './resume-entry.ts';
import { removeResumeEntry, saveResumeEntry } from './resume-storage.ts';

/** What the server will refuse again, however often it is asked. */
const FINAL = [400, 404, 410, 413, 415, 422];

/**
 * The upload of one video, which this browser remembers until it has ended.
 * @param received numbers of the chunks that arrived before
 */
function videoUpload(
  bucketId: string,
  video: VideoUpload,
  received: readonly number[] = [],
): Upload {
  const { file, clientId, access, resolution, timelinePreview } = video;
  const key = { bucketId, clientId };

  const entryOf = async (): Promise<ResumeEntry> => ({
    ...key,
    name: file.name,
    size: file.size,
    lastModified: file.lastModified,
    sha256: await hashFirstChunk(file),
    access,
    resolution,
    timelinePreview,
    received: received.length,
    expires: Date.now() + UPLOAD_TTL_MS,
  });

  return {
    about: { kind: 'video', file, clientId, sent: bytesOf(file, received) },
    send: (sending) =>
      whileSending(clientId, async () => {
        const entry = await entryOf();
        saveResumeEntry(entry);
        try {
          const made = await sendVideo(bucketId, video, received, {
            ...sending,
            onChunk: (count) => saveResumeEntry({ ...entry, received: count }),
          });
          removeResumeEntry(key);
          return made;
        } catch (error) {
          if (error instanceof ApiError && FINAL.includes(error.status)) {
            removeResumeEntry(key);
          }
          throw error;
        }
      }),
    async undo() {
      removeResumeEntry(key);
      await removeVideo(bucketId, clientId);
    },
  };
}

/** One that begins now. */
export const freshVideo = (bucketId: string, video: Omit<VideoUpload, 'clientId'>): Upload =>
  videoUpload(bucketId, { ...video, clientId: newClientId() });

/** One that goes on, with the options that it began with. */
export function resumedVideo(
  bucketId: string,
  file: File,
  { entry, received }: ResumableUpload,
): Upload {
  const { clientId, access, resolution, timelinePreview } = entry;
  const options = { clientId, access, resolution, timelinePreview, thumbnail: null };
  return videoUpload(bucketId, { ...options, file }, received);
}

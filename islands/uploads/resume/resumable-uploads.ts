import { UPLOAD_TTL_MS } from '../../../server/contract/limits.ts';
import type { Upload } from '../queue/upload-manager.ts';
import {
  chunkBytes,
  hashFirstChunk,
  newClientId,
  sendVideo,
  type VideoUpload,
} from '../transport/send-video.ts';
import { imageFile, removeImage, removeVideo, videoProgress } from '../transport/upload-calls.ts';
import { hasEnded, uploads } from '../upload-store.ts';
import {
  findLikelyResume,
  type ResumeEntry,
  readResumeEntries,
  removeResumeEntry,
  saveResumeEntry,
} from './resume-entries.ts';
import { runningUploads, whileRemembered } from './running-uploads.ts';

/** An upload that can be resumed, and the numbers of the chunks that the server has. */
export type ResumableUpload = { entry: ResumeEntry; received: number[] };

/**
 * Asks the server which chunks it has. Returns null and removes the entry if it can't be resumed, or if
 * the image has arrived.
 */
async function findProgress(entry: ResumeEntry): Promise<ResumableUpload | null> {
  if (entry.kind === 'image') {
    const hasArrived = Boolean(await imageFile(entry.bucketId, entry.clientId));
    if (hasArrived) removeResumeEntry(entry);
    return hasArrived ? null : { entry, received: [] };
  }
  const state = await videoProgress(entry.bucketId, entry.clientId);
  // The first chunk carries the name and the options, so without it the upload must start over.
  if (!state || state.file_id || !state.received.includes(0)) {
    removeResumeEntry(entry);
    return null;
  }
  const { received } = state;
  const updated = { ...entry, received: received.length, expires: Date.parse(state.expires) };
  saveResumeEntry(updated);
  return { entry: updated, received };
}

const isIdle = (running: Set<string>) => {
  const rows = uploads.rows.filter((row) => !hasEnded(row));
  const own = new Set(rows.map(({ clientId }) => clientId));
  return ({ clientId }: ResumeEntry) => !running.has(clientId) && !own.has(clientId);
};

/** Lists the interrupted uploads of a bucket that can be resumed, and forgets all others. */
export async function listResumableUploads(bucketId: string): Promise<ResumeEntry[]> {
  const entries = readResumeEntries().filter((one) => one.bucketId === bucketId);
  const idle = entries.filter(isIdle(await runningUploads()));
  // While the server can't be reached, the last known state is shown.
  const resumable = await Promise.all(
    idle.map((entry) => findProgress(entry).catch(() => ({ entry }))),
  );
  return resumable.flatMap((one) => (one ? [one.entry] : []));
}

/** Returns the interrupted upload of exactly this file, or null. */
export async function findResumableUpload(
  bucketId: string,
  file: File,
): Promise<ResumableUpload | null> {
  const likely = findLikelyResume(readResumeEntries(), bucketId, file);
  if (likely.length === 0) return null;
  const idle = likely.filter(isIdle(await runningUploads()));
  const sha256 = await hashFirstChunk(file);
  const entry = idle.find((one) => one.sha256 === sha256);
  return entry ? findProgress(entry) : null;
}

/** Deletes the uploaded part of an interrupted upload. Throws ApiError. */
export async function discard(entry: ResumeEntry): Promise<void> {
  const remove = entry.kind === 'image' ? removeImage : removeVideo;
  await remove(entry.bucketId, entry.clientId);
  removeResumeEntry(entry);
}

/**
 * The upload of one video, which the browser stores until it has ended, so that it can be resumed.
 * @param received the numbers of the chunks that the server already has
 */
function videoUpload(
  bucketId: string,
  video: VideoUpload,
  received: readonly number[] = [],
): Upload {
  const { file, clientId, access, folder, replace, resolution, timelinePreview } = video;
  const { isExact = false } = video;
  const key = { bucketId, clientId };

  const entryOf = async (): Promise<ResumeEntry> => ({
    ...key,
    kind: 'video',
    name: file.name,
    size: file.size,
    lastModified: file.lastModified,
    sha256: await hashFirstChunk(file),
    ...{ access, folder, replace, isExact },
    resolution,
    timelinePreview,
    received: received.length,
    expires: Date.now() + UPLOAD_TTL_MS,
  });

  return {
    about: { kind: 'video', file, clientId, sent: chunkBytes(file, received) },
    send: (sending) =>
      whileRemembered(clientId, entryOf, (entry) =>
        sendVideo(bucketId, video, received, {
          ...sending,
          onChunk: (count) => saveResumeEntry({ ...entry, received: count }),
        }),
      ),
    async undo() {
      removeResumeEntry(key);
      await removeVideo(bucketId, clientId);
    },
  };
}

/** An upload that starts from the beginning. */
export const freshVideo = (bucketId: string, video: Omit<VideoUpload, 'clientId'>): Upload =>
  videoUpload(bucketId, { ...video, clientId: newClientId() });

/** An upload that continues an interrupted one, with the options that it was started with. */
export function resumedVideo(
  bucketId: string,
  file: File,
  { entry, received }: ResumableUpload,
): Upload {
  const { clientId, access, folder = '', replace = false, resolution, timelinePreview } = entry;
  const { isExact = false } = entry;
  const destination = { access, folder, replace };
  const options = { clientId, isExact, resolution, timelinePreview, thumbnail: null };
  return videoUpload(bucketId, { ...destination, ...options, file }, received);
}

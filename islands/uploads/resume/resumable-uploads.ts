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
import { hasEnded, isInTray, type UploadListItem, uploads } from '../upload-store.ts';
import { deleteOtherHandles } from './file-handles.ts';
import { freshImage } from './fresh-image.ts';
import {
  findLikelyResume,
  type ResumeEntry,
  readResumeEntries,
  removeResumeEntry,
  saveResumeEntry,
} from './resume-entries.ts';
import { resumeKeyOf } from './resume-keys.ts';
import { releaseUpload, runningUploads, whileRemembered } from './running-uploads.ts';

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

const isIdle = (running: Set<string>, isBusy: (row: UploadListItem) => boolean) => {
  const rows = uploads.rows.filter(isBusy);
  const own = new Set(rows.map(({ clientId }) => clientId));
  return ({ clientId }: ResumeEntry) => !running.has(clientId) && !own.has(clientId);
};

/**
 * Lists the interrupted uploads of a bucket that can be resumed, without those that the tray shows as failed, and
 * forgets all others.
 */
export async function listResumableUploads(bucketId: string): Promise<ResumeEntry[]> {
  const all = readResumeEntries();
  void deleteOtherHandles(new Set(all.map(resumeKeyOf)));
  const entries = all.filter((one) => one.bucketId === bucketId);
  const idle = entries.filter(isIdle(await runningUploads(), isInTray));
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
  const idle = likely.filter(isIdle(await runningUploads(), (row) => !hasEnded(row)));
  const sha256 = await hashFirstChunk(file);
  const entry = idle.find((one) => one.sha256 === sha256);
  return entry ? findProgress(entry) : null;
}

/** Returns whether a file is the one of an interrupted upload. The first bytes of a video decide. */
export async function isFileOf(entry: ResumeEntry, file: File): Promise<boolean> {
  const [likely] = findLikelyResume([entry], entry.bucketId, file, entry.kind);
  if (!likely) return false;
  return entry.kind === 'image' || (await hashFirstChunk(file)) === entry.sha256;
}

/**
 * Returns the upload that continues an interrupted one with its options. An image starts over. Returns null where
 * there is nothing to continue: the file has arrived, or the server has deleted what it had of it.
 */
export async function continueUpload(entry: ResumeEntry, file: File): Promise<Upload | null> {
  const found = await findProgress(entry);
  if (!found) return null;
  if (entry.kind !== 'image') return resumedVideo(entry.bucketId, file, found);
  const { access, folder = '', replace = false, webp = false, isExact = false } = entry;
  const image = { file, access, folder, replace, webp, isExact };
  return freshImage(entry.bucketId, image, entry.clientId);
}

/** Deletes the uploaded part of an interrupted upload. Throws ApiError. */
export async function discard(entry: ResumeEntry): Promise<void> {
  const remove = entry.kind === 'image' ? removeImage : removeVideo;
  await remove(entry.bucketId, entry.clientId);
  removeResumeEntry(entry);
}

/** What a video is uploaded as. Its resolutions may be known only when it is sent. */
type PlannedVideo = Omit<VideoUpload, 'resolution'> & {
  resolution: string | ((signal: AbortSignal) => Promise<string>);
};

/**
 * The upload of one video, which the browser stores until it has ended, so that it can be resumed.
 * @param received the numbers of the chunks that the server already has
 */
function videoUpload(
  bucketId: string,
  video: PlannedVideo,
  received: readonly number[] = [],
): Upload {
  const { file, clientId, access, folder, replace, timelinePreview } = video;
  const { isExact = false } = video;
  const key = { bucketId, clientId };

  const entryOf = async (resolution: string): Promise<ResumeEntry> => ({
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

  let isAgain = false;
  return {
    about: { kind: 'video', file, clientId, sent: chunkBytes(file, received) },
    async send(sending) {
      const planned = video.resolution;
      const resolution = typeof planned === 'string' ? planned : await planned(sending.signal);
      const entry = () => entryOf(resolution);
      return whileRemembered({ clientId, file }, entry, async (entry) => {
        const known = isAgain ? (await videoProgress(bucketId, clientId))?.received : received;
        isAgain = true;
        return sendVideo(bucketId, { ...video, resolution }, known ?? [], {
          ...sending,
          onChunk: (count) => saveResumeEntry({ ...entry, received: count }),
        });
      });
    },
    async undo() {
      releaseUpload(clientId);
      removeResumeEntry(key);
      await removeVideo(bucketId, clientId);
    },
  };
}

/** An upload that starts from the beginning. */
export const freshVideo = (bucketId: string, video: Omit<PlannedVideo, 'clientId'>): Upload =>
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

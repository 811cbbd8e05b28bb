import { UPLOAD_TTL_MS } from '../../../server/contract/limits.ts';
import { ApiError } from '../../runtime/api-error.ts';
import type { Upload } from '../queue/upload-manager.ts';
import {
  chunkBytes,
  hashFirstChunk,
  newClientId,
  sendVideo,
  type VideoUpload,
} from '../transport/send-video.ts';
import { removeVideo, videoProgress } from '../transport/upload-calls.ts';
import { hasEnded, uploads } from '../upload-store.ts';
import {
  findLikelyResume,
  type ResumeEntry,
  readResumeEntries,
  removeResumeEntry,
  saveResumeEntry,
} from './resume-entries.ts';

const LOCK_PREFIX = 'upload ';

/** The responses after which the server will refuse the upload every time. */
const PERMANENT_ERRORS = [400, 404, 410, 413, 415, 422];

/** An upload that can be resumed, and the numbers of the chunks that the server has. */
export type ResumableUpload = { entry: ResumeEntry; received: number[] };

/** Asks the server which chunks it has. Returns null and removes the entry if it can't be resumed. */
async function findProgress(entry: ResumeEntry): Promise<ResumableUpload | null> {
  const state = await videoProgress(entry.bucketId, entry.clientId);
  // The first chunk carries the name and the options, so without it the upload must start over.
  if (!state || state.fileId || !state.received.includes(0)) {
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
  await removeVideo(entry.bucketId, entry.clientId);
  removeResumeEntry(entry);
}

/**
 * Does `work` while holding a lock that shows other tabs that this upload is running. The browser
 * releases the lock when the tab ends, even in a crash. Plain http has no locks, so there other tabs
 * don't know.
 */
function whileSending<Result>(clientId: string, work: () => Promise<Result>): Promise<Result> {
  if (!navigator.locks) return work();
  return navigator.locks.request(LOCK_PREFIX + clientId, { ifAvailable: true }, work);
}

/** Returns the client ids of the uploads that run in any tab of this browser. */
async function runningUploads(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(LOCK_PREFIX));
  return new Set(names.map((name) => name.slice(LOCK_PREFIX.length)));
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
    about: { kind: 'video', file, clientId, sent: chunkBytes(file, received) },
    send: (sending) =>
      whileSending(clientId, async () => {
        const entry = await entryOf();
        saveResumeEntry(entry);
        try {
          const created = await sendVideo(bucketId, video, received, {
            ...sending,
            onChunk: (count) => saveResumeEntry({ ...entry, received: count }),
          });
          removeResumeEntry(key);
          return created;
        } catch (error) {
          if (error instanceof ApiError && PERMANENT_ERRORS.includes(error.status)) {
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

/** An upload that starts from the beginning. */
export const freshVideo = (bucketId: string, video: Omit<VideoUpload, 'clientId'>): Upload =>
  videoUpload(bucketId, { ...video, clientId: newClientId() });

/** An upload that continues an interrupted one, with the options that it was started with. */
export function resumedVideo(
  bucketId: string,
  file: File,
  { entry, received }: ResumableUpload,
): Upload {
  const { clientId, access, resolution, timelinePreview } = entry;
  const options = { clientId, access, resolution, timelinePreview, thumbnail: null };
  return videoUpload(bucketId, { ...options, file }, received);
}

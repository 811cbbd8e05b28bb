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
import { removeVideo, videoProgress } from '../transport/upload-calls.ts';
import { hasEnded, uploads } from '../upload-store.ts';
import {
  findLikelyResume,
  type ResumeEntry,
  readResumeEntries,
  removeResumeEntry,
  saveResumeEntry,
} from './resume-entries.ts';

const PREFIX = 'upload ';

/** What the server will refuse again, however often it is asked. */
const FINAL = [400, 404, 410, 413, 415, 422];

/** An upload that can go on, and the numbers of the chunks that have arrived. */
export type ResumableUpload = { entry: ResumeEntry; received: number[] };

/** Asks the server how far an upload is; null, and it is forgotten, where it can't go on. */
async function ask(entry: ResumeEntry): Promise<ResumableUpload | null> {
  const state = await videoProgress(entry.bucketId, entry.clientId);
  // Without its first chunk an upload has neither name nor options, so it starts over.
  if (!state || state.fileId || !state.received.includes(0)) {
    removeResumeEntry(entry);
    return null;
  }
  const { received } = state;
  const known = { ...entry, received: received.length, expires: Date.parse(state.expires) };
  saveResumeEntry(known);
  return { entry: known, received };
}

const isIdle = (sent: Set<string>) => {
  const running = uploads.rows.filter((row) => !hasEnded(row));
  const own = new Set(running.map(({ clientId }) => clientId));
  return ({ clientId }: ResumeEntry) => !sent.has(clientId) && !own.has(clientId);
};

/** The uploads of a bucket that were interrupted and can go on. What can't is forgotten. */
export async function listResumableUploads(bucketId: string): Promise<ResumeEntry[]> {
  const entries = readResumeEntries().filter((one) => one.bucketId === bucketId);
  const idle = entries.filter(isIdle(await sentNow()));
  // Where the server can't be asked, what was known last is shown.
  const asked = await Promise.all(idle.map((entry) => ask(entry).catch(() => ({ entry }))));
  return asked.flatMap((one) => (one ? [one.entry] : []));
}

/** The interrupted upload of this very file, if there is one. */
export async function findResumableUpload(
  bucketId: string,
  file: File,
): Promise<ResumableUpload | null> {
  const likely = findLikelyResume(readResumeEntries(), bucketId, file);
  if (likely.length === 0) return null;
  const idle = likely.filter(isIdle(await sentNow()));
  const sha256 = await hashFirstChunk(file);
  const entry = idle.find((one) => one.sha256 === sha256);
  return entry ? ask(entry) : null;
}

/** Removes what has been sent. Throws ApiFailure. */
export async function discard(entry: ResumeEntry): Promise<void> {
  await removeVideo(entry.bucketId, entry.clientId);
  removeResumeEntry(entry);
}

/**
 * Does `work` while other tabs can see that this upload is being sent. The browser takes a tab's
 * locks back when it ends, however it ends. Without locks, on plain http, nobody sees.
 */
function whileSending<Result>(clientId: string, work: () => Promise<Result>): Promise<Result> {
  if (!navigator.locks) return work();
  return navigator.locks.request(PREFIX + clientId, { ifAvailable: true }, work);
}

/** The uploads that some tab of this browser is sending. */
async function sentNow(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(PREFIX));
  return new Set(names.map((name) => name.slice(PREFIX.length)));
}

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

import { hashFirstChunk } from '../transport/send-video.ts';
import { removeVideo, videoProgress } from '../transport/upload-calls.ts';
import { hasEnded, uploads } from '../upload-store.ts';
import { findLikelyResume, type ResumeEntry } from './resume-entry.ts';
import { readResumeEntries, removeResumeEntry, saveResumeEntry } from './resume-storage.ts';

const PREFIX = 'upload ';

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
export function whileSending<Result>(
  clientId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!navigator.locks) return work();
  return navigator.locks.request(PREFIX + clientId, { ifAvailable: true }, work);
}

/** The uploads that some tab of this browser is sending. */
async function sentNow(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(PREFIX));
  return new Set(names.map((name) => name.slice(PREFIX.length)));
}

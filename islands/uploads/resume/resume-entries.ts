import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Access, MediaType } from '../../../server/contract/wire.ts';
import { deleteHandle } from './file-handles.ts';
import { type ResumeKey, resumeKeyOf, storedKeys } from './resume-keys.ts';

/** What a browser stores about an unfinished upload, so that a video can be resumed after a reload. */
export type ResumeEntry = {
  /** Undefined in the entries of versions that stored those of videos only. */
  kind?: MediaType;
  bucketId: string;
  clientId: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Epoch ms. */
  lastModified: number;
  /** The hash of a video's first chunk, in hex. */
  sha256: string;
  access: Access;
  /** Where the file goes; both are undefined in the entries of earlier versions. */
  folder?: string;
  replace?: boolean;
  /** Whether the bytes are stored as they are; undefined in the entries of earlier versions. */
  isExact?: boolean;
  /** Whether an image is converted; undefined for videos and in the entries of earlier versions. */
  webp?: boolean;
  resolution: string;
  timelinePreview: boolean;
  /** The number of chunks that the server has. */
  received: number;
  /** When the server deletes the upload, in epoch ms. */
  expires: number;
};

const MAX_ENTRIES_PER_BUCKET = 10;
const MAX_ENTRIES = 50;

const isResumeEntry = (value: unknown): value is ResumeEntry => {
  if (typeof value !== 'object' || value === null) return false;
  const one = value as Record<keyof ResumeEntry, unknown>;
  const texts = [one.bucketId, one.clientId, one.name, one.sha256, one.resolution];
  const numbers = [one.size, one.lastModified, one.received, one.expires];
  return (
    texts.every((text) => typeof text === 'string') &&
    numbers.every((number) => typeof number === 'number' && Number.isFinite(number)) &&
    (one.access === 'public' || one.access === 'private') &&
    typeof one.timelinePreview === 'boolean' &&
    ['undefined', 'string'].includes(typeof one.folder) &&
    ['undefined', 'boolean'].includes(typeof one.replace) &&
    ['undefined', 'boolean'].includes(typeof one.isExact) &&
    ['undefined', 'boolean'].includes(typeof one.webp) &&
    (one.kind === undefined || one.kind === 'image' || one.kind === 'video')
  );
};

/** Parses a stored entry. Returns null if it is no entry or has expired by `now` (epoch ms). */
export function parseResumeEntry(stored: string | null, now: number): ResumeEntry | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    return isResumeEntry(value) && value.expires > now ? value : null;
  } catch {
    return null;
  }
}

/** Returns the entries beyond the limits, per bucket and in total. The list has the newest first. */
export function findExcessEntries(list: readonly ResumeEntry[]): ResumeEntry[] {
  const counts = new Map<string, number>();
  const withinBucketLimit = list.filter(({ bucketId }) => {
    const count = (counts.get(bucketId) ?? 0) + 1;
    counts.set(bucketId, count);
    return count <= MAX_ENTRIES_PER_BUCKET;
  });
  const keeps = new Set(withinBucketLimit.slice(0, MAX_ENTRIES));
  return list.filter((one) => !keeps.has(one));
}

/** Returns the entries that may be about this file. The hash of a video's first chunk decides. */
export const findLikelyResume = (
  list: ResumeEntry[],
  bucketId: string,
  file: { name: string; size: number; lastModified: number },
  kind: MediaType = 'video',
) =>
  list.filter(
    (one) =>
      (one.kind ?? 'video') === kind &&
      one.bucketId === bucketId &&
      one.name === file.name &&
      one.size === file.size &&
      one.lastModified === file.lastModified,
  );

type Arrived = Pick<ResumeEntry, 'received' | 'size'>;

/** Returns how many bytes the server has, rounded up to chunks: the last chunk is shorter. */
export const bytesReceived = ({ received, size }: Arrived) =>
  Math.min(size, received * VIDEO_CHUNK_BYTES);

/** Returns how much of the file the server has, in whole per cent. */
export const percentReceived = (entry: Arrived) =>
  Math.floor((100 * bytesReceived(entry)) / Math.max(1, entry.size));

/** Returns the stored entries of all buckets, the newest first. */
export function readResumeEntries(): ResumeEntry[] {
  try {
    return entriesOf(storedKeys());
  } catch {
    return [];
  }
}

/** Stores an entry, and removes the oldest ones if there are too many. */
export function saveResumeEntry(entry: ResumeEntry) {
  try {
    localStorage.setItem(resumeKeyOf(entry), JSON.stringify(entry));
    const keys = storedKeys();
    const entries = entriesOf(keys);
    const keptKeys = new Set(entries.map(resumeKeyOf));
    for (const one of findExcessEntries(entries)) keptKeys.delete(resumeKeyOf(one));
    for (const key of keys) if (!keptKeys.has(key)) localStorage.removeItem(key);
  } catch {
    // The storage is full or forbidden. The upload works, but can't be resumed after a reload.
  }
}

/** Removes an entry, and the handle of its file. */
export function removeResumeEntry(key: ResumeKey) {
  void deleteHandle(resumeKeyOf(key));
  try {
    localStorage.removeItem(resumeKeyOf(key));
  } catch {
    // If storage is forbidden, nothing is stored.
  }
}

const entriesOf = (keys: string[]) =>
  keys
    .map((key) => parseResumeEntry(localStorage.getItem(key), Date.now()))
    .filter((entry) => entry !== null)
    .sort((one, other) => other.expires - one.expires);

import { VIDEO_CHUNK_BYTES } from '../../../server/contract/limits.ts';
import type { Access } from '../../../server/contract/wire.ts';

/**
 * Each upload has an entry of its own: tabs may write at any time, and of one list that each of them
 * reads, changes and writes back, one tab's change would undo the other's.
 */
const PREFIX = 'unfinished-upload ';

/** What a browser remembers of a video whose upload has not ended, to go on after a reload. */
export type ResumeEntry = {
  bucketId: string;
  clientId: string;
  name: string;
  /** Bytes. */
  size: number;
  /** Epoch ms. */
  lastModified: number;
  /** Of the first chunk, in hex. */
  sha256: string;
  access: Access;
  resolution: string;
  timelinePreview: boolean;
  /** Chunks that have arrived. */
  received: number;
  /** Epoch ms; the server forgets it then. */
  expires: number;
};

const PER_BUCKET = 10;
const IN_ALL = 50;

const isUnfinished = (value: unknown): value is ResumeEntry => {
  if (typeof value !== 'object' || value === null) return false;
  const one = value as Record<keyof ResumeEntry, unknown>;
  const texts = [one.bucketId, one.clientId, one.name, one.sha256, one.resolution];
  const numbers = [one.size, one.lastModified, one.received, one.expires];
  return (
    texts.every((text) => typeof text === 'string') &&
    numbers.every((number) => typeof number === 'number' && Number.isFinite(number)) &&
    (one.access === 'public' || one.access === 'private') &&
    typeof one.timelinePreview === 'boolean'
  );
};

/** Reads what is stored of one upload; null where it has expired by `now` or is no upload at all. */
export function parseResumeEntries(stored: string | null, now: number): ResumeEntry | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    return isUnfinished(value) && value.expires > now ? value : null;
  } catch {
    return null;
  }
}

/** Those that are too many, of their bucket or of all, in a list that has the newest first. */
export function tooMany(list: readonly ResumeEntry[]): ResumeEntry[] {
  const counts = new Map<string, number>();
  const kept = list.filter(({ bucketId }) => {
    const count = (counts.get(bucketId) ?? 0) + 1;
    counts.set(bucketId, count);
    return count <= PER_BUCKET;
  });
  const keeps = new Set(kept.slice(0, IN_ALL));
  return list.filter((one) => !keeps.has(one));
}

/** The entries that may be about this file; its first chunk's hash decides. */
export const findLikelyResume = (
  list: ResumeEntry[],
  bucketId: string,
  file: { name: string; size: number; lastModified: number },
) =>
  list.filter(
    (one) =>
      one.bucketId === bucketId &&
      one.name === file.name &&
      one.size === file.size &&
      one.lastModified === file.lastModified,
  );

type Arrived = Pick<ResumeEntry, 'received' | 'size'>;

/** Bytes of the file that have arrived, at most: its last chunk is shorter. */
export const bytesArrived = ({ received, size }: Arrived) =>
  Math.min(size, received * VIDEO_CHUNK_BYTES);

/** Per cent of the file that has arrived, whole. */
export const percentArrived = (entry: Arrived) =>
  Math.floor((100 * bytesArrived(entry)) / Math.max(1, entry.size));

type Key = Pick<ResumeEntry, 'bucketId' | 'clientId'>;
const keyOf = ({ bucketId, clientId }: Key) => `${PREFIX}${bucketId} ${clientId}`;

/** All that this browser remembers, of every bucket, the newest first. */
export function readResumeEntries(): ResumeEntry[] {
  try {
    return entriesOf(storedKeys());
  } catch {
    return [];
  }
}

/** Remembers an upload, and forgets the oldest ones where that makes too many. */
export function saveResumeEntry(entry: ResumeEntry) {
  try {
    localStorage.setItem(keyOf(entry), JSON.stringify(entry));
    const keys = storedKeys();
    const entries = entriesOf(keys);
    const kept = new Set(entries.map(keyOf));
    for (const one of tooMany(entries)) kept.delete(keyOf(one));
    for (const key of keys) if (!kept.has(key)) localStorage.removeItem(key);
  } catch {
    // Full or forbidden storage: the upload goes on for as long as the page is open.
  }
}

export function removeResumeEntry(gone: Key) {
  try {
    localStorage.removeItem(keyOf(gone));
  } catch {
    // Where storage is forbidden there is nothing to forget.
  }
}

const storedKeys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

const entriesOf = (keys: string[]) =>
  keys
    .map((key) => parseResumeEntries(localStorage.getItem(key), Date.now()))
    .filter((entry) => entry !== null)
    .sort((one, other) => other.expires - one.expires);

import { parseResumeEntries, type ResumeEntry, tooMany } from './resume-entry.ts';

/**
 * Each upload has an entry of its own: tabs may write at any time, and of one list that each of them
 * reads, changes and writes back, one tab's change would undo the other's.
 */
const PREFIX = 'unfinished-upload ';

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

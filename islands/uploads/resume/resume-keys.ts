/**
 * Each upload has its own key in local storage. Tabs write at any time, and if they shared one list,
 * each would overwrite the changes of the others.
 */
const PREFIX = 'unfinished-upload ';

export type ResumeKey = { bucketId: string; clientId: string };

/** Returns the key under which an entry is stored, and the handle of its file. */
export const resumeKeyOf = ({ bucketId, clientId }: ResumeKey) =>
  `${PREFIX}${bucketId} ${clientId}`;

/** Returns the keys of all entries. Throws where the browser forbids storage. */
export const storedKeys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** Returns whether the browser remembers unfinished uploads to a bucket, which may run in another tab. */
export function hasResumeEntries(bucketId: string): boolean {
  try {
    return storedKeys().some((key) => key.startsWith(resumeKeyOf({ bucketId, clientId: '' })));
  } catch {
    return false;
  }
}

import type { FileWire } from '../../../server/contract/wire.ts';
import { ApiError } from '../../runtime/api-error.ts';
import { PERMANENT_STATUSES } from '../transport/retry.ts';
import { storeHandle } from './file-handles.ts';
import { type ResumeEntry, removeResumeEntry, saveResumeEntry } from './resume-entries.ts';
import { resumeKeyOf } from './resume-keys.ts';

const LOCK_PREFIX = 'upload ';

/**
 * Sends a file while the browser stores an entry about it, which stays if the upload is interrupted, and its handle if
 * it has one.
 */
export const whileRemembered = (
  { clientId, file }: { clientId: string; file: File },
  entryOf: () => Promise<ResumeEntry>,
  send: (entry: ResumeEntry) => Promise<FileWire>,
): Promise<FileWire> =>
  whileSending(clientId, async () => {
    const entry = await entryOf();
    saveResumeEntry(entry);
    await storeHandle(resumeKeyOf(entry), file);
    try {
      const created = await send(entry);
      removeResumeEntry(entry);
      return created;
    } catch (error) {
      if (error instanceof ApiError && PERMANENT_STATUSES.includes(error.status)) {
        removeResumeEntry(entry);
      }
      throw error;
    }
  });

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
export async function runningUploads(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(LOCK_PREFIX));
  return new Set(names.map((name) => name.slice(LOCK_PREFIX.length)));
}

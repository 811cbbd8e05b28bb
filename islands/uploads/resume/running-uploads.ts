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

/** The uploads that this tab has claimed. */
const claims = new Map<string, { release: () => void; isSending: boolean }>();

/**
 * Claims an upload, by a lock that other tabs see. The browser releases it when the tab ends, even in a crash. Plain
 * http has no locks, so there other tabs don't know.
 * @param isSending whether it is sent from now on, and not later
 * @returns false where this tab or another one has claimed it before
 */
export async function claimUpload(clientId: string, isSending = false): Promise<boolean> {
  if (claims.has(clientId)) return false;
  const claim = (release: () => void) => void claims.set(clientId, { release, isSending });
  const { locks } = navigator;
  if (!locks) {
    claim(() => {});
    return true;
  }
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) => {
      const held = lock && new Promise<void>(claim);
      resolve(lock !== null);
      return held;
    };
    locks.request(LOCK_PREFIX + clientId, { ifAvailable: true }, hold).catch(reject);
  });
}

/** Gives up an upload that has ended, or is not sent. */
export function releaseUpload(clientId: string): void {
  claims.get(clientId)?.release();
  claims.delete(clientId);
}

const IN_OTHER_TAB = 'Another tab of this browser is uploading this file.';

/** Does `work` for an upload that is claimed before or now, and gives it up. Throws ApiError where another tab has it. */
async function whileSending<Result>(
  clientId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const claim = claims.get(clientId);
  const isOurs = claim ? !claim.isSending : await claimUpload(clientId, true);
  if (!isOurs) throw new ApiError(409, IN_OTHER_TAB);
  if (claim) claim.isSending = true;
  try {
    return await work();
  } finally {
    releaseUpload(clientId);
  }
}

/** Returns the client ids of the uploads that run in any tab of this browser, or wait there for others. */
export async function runningUploads(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(LOCK_PREFIX));
  return new Set([...claims.keys(), ...names.map((name) => name.slice(LOCK_PREFIX.length))]);
}

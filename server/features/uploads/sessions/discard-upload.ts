import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { isRuleRefusal } from '../../buckets/service.ts';
import type { UploadSessionRow } from '../tables.ts';
import * as store from './store.ts';

/**
 * Deletes an upload, and its objects later. Returns false where it is finished, also since it was read: then
 * the objects are those of its file, and everything stays.
 * @param options.isUntouched also keeps it where another request sends a part of it or has sent one
 */
export function discardUpload(
  { database, clock }: { database: Database; clock: Clock },
  { id, prefix }: Pick<UploadSessionRow, 'id' | 'prefix'>,
  options: { isUntouched?: boolean } = {},
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await store.deleteUpload(tx, id, options))) return false;
    await scheduleDelete(tx, prefix, clock());
    return true;
  });
}

/**
 * Does work on an upload, which is deleted where a rule of its bucket refuses it, because nothing that its client sends
 * can complete it. Throws what `work` throws.
 */
export async function discardIfRefused<Result>(
  deps: { database: Database; clock: Clock },
  upload: Pick<UploadSessionRow, 'id' | 'prefix'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isRuleRefusal(error)) await discardUpload(deps, upload);
    throw error;
  }
}

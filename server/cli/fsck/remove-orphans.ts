import type { AuditSources } from '../../adapters/operator.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { DAY } from '../../contract/limits.ts';
import { newestFiles } from '../../features/files/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/port.ts';
import { scheduleDeletes } from '../../platform/storage/pending-deletes-store.ts';
import { storageHoldsFiles } from '../../runtime/storage-check.ts';
import type { Finding } from './finding.ts';
import { objectsIn, orphanFinding, orphanFolders } from './orphans.ts';

/** No request or job stores an object for longer than this before the database refers to it. */
const MIN_AGE_MS = DAY;
const BATCH_SIZE = 500;

/**
 * Schedules the deletion of the objects that no row refers to, except new ones, and yields a finding for
 * each folder. The server deletes them, but not while a backup runs.
 * @param target the same database, opened for writing
 * @throws OperatorError where the storage does not belong to the database, before anything is scheduled
 */
export async function* removeOrphans(
  sources: AuditSources,
  target: Pick<Database, 'db'>,
  clock: Clock,
): AsyncGenerator<Finding> {
  await requireOwnStorage(sources);
  for await (const folder of orphanFolders(sources)) {
    const { total, young } = await removeFrom(sources, folder, target, clock());
    if (total.objects === 0) continue;
    const { text, ...finding } = orphanFinding(folder, total);
    const kept = young === 0 ? '' : `, except ${young} less than a day old`;
    yield { ...finding, text: `${text}; scheduled for deletion${kept}` };
  }
}

/** With another database or storage, all objects would belong to no row. */
async function requireOwnStorage({ database, objects }: AuditSources): Promise<void> {
  const hasFiles = (await newestFiles(database.db, 1)).length > 0;
  if (hasFiles && (await storageHoldsFiles(database, objects))) return;
  throw new OperatorError(
    'None of the newest files in the database are in this storage, so nothing was removed. Check DATABASE_URL, STORAGE_URL, REGIONS and DATA_DIR.',
  );
}

async function removeFrom(
  sources: AuditSources,
  folder: string,
  { db }: Pick<Database, 'db'>,
  now: number,
) {
  const total = { objects: 0, bytes: 0 };
  let young = 0;
  let keys: string[] = [];
  const flush = async () => {
    await scheduleDeletes(db, keys, now);
    keys = [];
  };
  for await (const { key, size } of objectsIn(sources, folder)) {
    const object = await sources.objects.open(key);
    if (!object) continue;
    total.objects += 1;
    total.bytes += size;
    if (object.modifiedAt > now - MIN_AGE_MS) young += 1;
    else if (keys.push(key) === BATCH_SIZE) await flush();
  }
  await flush();
  return { total, young };
}

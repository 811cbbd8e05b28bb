import { OperatorError } from '../../config/operator-error.ts';
import { HOUR, MIB, MINUTE, SECOND } from '../../contract/limits.ts';
import type { Database } from '../../platform/db/port.ts';
import { newId } from '../../platform/ids.ts';
import {
  extendPause,
  pauseDeletions,
  resumeDeletions,
} from '../../platform/storage/deletion-pause-store.ts';
import type { ObjectStore } from '../../platform/storage/port.ts';
import { allPrefixes } from '../fsck/store.ts';
import { copyObject, eachOf, sha256Of } from './copy.ts';
import type { Entry, Manifest } from './manifest-store.ts';

/**
 * Timers don't run while SQLite copies a database, so the pause of deletions must last for all of
 * it.
 */
const DATABASE_PAUSE_MS = 6 * HOUR;
const PAUSE_MS = 5 * MINUTE;
const EXTEND_INTERVAL_MS = 30 * SECOND;
/**
 * The manifest records so many objects, or so many bytes of objects, in one transaction: one for each
 * object would take longer than copying it. What a killed run has not recorded is copied again.
 */
const BATCH_SIZE = 1000;
const BATCH_BYTES = 256 * MIB;
/** Copying a small object is mostly waiting for the disk. */
const COPY_CONCURRENCY = 4;

export type BackupParts = {
  /** The server's database, which the server can be using. */
  database: Database;
  objects: Pick<ObjectStore, 'open' | 'list'>;
  target: ObjectStore;
  manifest: Manifest;
  /** Copies the server's database, and returns the copy opened for reading. */
  snapshot(): Promise<Database>;
};

type StoredObject = { key: string; size: number };
export type Copied = { objects: number; bytes: number; fresh: number; freshBytes: number };

/**
 * Copies the database, then the objects that the copy names, while deletions are paused. Objects
 * never change, so those that an earlier run copied are not copied again. With `isThorough` they
 * are read, and replaced where they are damaged. Throws OperatorError where the pause was lost on
 * the way.
 */
export async function copyAll(
  parts: BackupParts,
  run: string,
  { isThorough }: { isThorough: boolean },
): Promise<Copied> {
  const { db } = parts.database;
  const owner = newId(Date.now());
  await pauseDeletions(db, owner, Date.now() + DATABASE_PAUSE_MS);
  let isPauseLost = false;
  const extend = async () => {
    const now = Date.now();
    isPauseLost ||= !(await extendPause(db, owner, { now, until: now + PAUSE_MS }));
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    const snapshot = await parts.snapshot();
    try {
      await extend();
      timer = setInterval(() => void extend().catch(() => {}), EXTEND_INTERVAL_MS);
      const copied = await copyNamed(parts, snapshot, run, isThorough);
      await extend();
      if (isPauseLost)
        throw new OperatorError('The backup made no progress for too long. Run it again.');
      return copied;
    } finally {
      await snapshot.close();
    }
  } finally {
    clearInterval(timer);
    await resumeDeletions(db, owner, Date.now());
  }
}

async function copyNamed(
  { objects, target, manifest }: BackupParts,
  snapshot: Database,
  run: string,
  isThorough: boolean,
): Promise<Copied> {
  const copied: Copied = { objects: 0, bytes: 0, fresh: 0, freshBytes: 0 };
  const copy = async ({ key, size }: StoredObject): Promise<Entry | null> => {
    const earlier = manifest.find(key);
    const there = earlier?.size === size ? await target.open(key) : null;
    const isUnchanged =
      there?.size === size && (!isThorough || (await sha256Of(there.body())) === earlier?.sha256);
    const backedUp = isUnchanged ? earlier : await copyObject(objects, target, key);
    if (!backedUp) return null;
    copied.objects += 1;
    copied.bytes += backedUp.size;
    if (!isUnchanged) {
      copied.fresh += 1;
      copied.freshBytes += backedUp.size;
    }
    return { key, size: backedUp.size, sha256: backedUp.sha256 };
  };
  for await (const batch of batchesOf(namedObjects(snapshot, objects))) {
    const entries: Entry[] = [];
    await eachOf(batch.values(), COPY_CONCURRENCY, async (object) => {
      // Prefixes may lie below each other, so that an object is listed twice.
      const entry = manifest.isOf(object.key, run) ? null : await copy(object);
      if (entry) entries.push(entry);
    });
    manifest.keep(entries, run);
  }
  return copied;
}

/** Yields the objects that the rows of a copied database name. */
async function* namedObjects(
  { db }: Database,
  objects: BackupParts['objects'],
): AsyncGenerator<StoredObject> {
  for await (const prefix of allPrefixes(db)) yield* objects.list(prefix);
}

/** Yields objects by their keys. */
async function* batchesOf(
  objects: AsyncIterable<StoredObject>,
): AsyncGenerator<Map<string, StoredObject>> {
  const batch = new Map<string, StoredObject>();
  let bytes = 0;
  for await (const object of objects) {
    batch.set(object.key, object);
    bytes += object.size;
    if (batch.size < BATCH_SIZE && bytes < BATCH_BYTES) continue;
    yield batch;
    batch.clear();
    bytes = 0;
  }
  yield batch;
}

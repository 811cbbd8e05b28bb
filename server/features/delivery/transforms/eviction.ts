import { MINUTE, SECOND } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Tx } from '../../../platform/db/port.ts';
import { scheduleDelete } from '../../../platform/storage/pending-deletes.ts';
import type { Files } from '../../files/service.ts';
import * as store from './store.ts';

/** Who has just found a derivative may still open it: longer than any memory of where it is. */
const GRACE = 20 * SECOND;
/** Uses nearer together than this are one. */
const TOUCH_EVERY = MINUTE;
const BATCH = 100;
/** Going through all rows blocks SQLite: without a reason it is done this seldom. */
const LOOK_EVERY = 10 * MINUTE;

/** Somebody else has removed it meanwhile. */
class AlreadyGone extends Error {
  override name = 'AlreadyGone';
}

/** Keeps derivatives within their bytes, and knows which were used last. */
export function createEviction(services: {
  database: Database;
  clock: Clock;
  files: Pick<Files, 'weigh'>;
  maxBytes: number;
  onError: (error: unknown) => void;
}) {
  const { database, clock, files, maxBytes, onError } = services;
  const { db } = database;
  const used = new Set<string>();
  /** As of the last look, with what this process has added since. */
  let total = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isPolicyChanged = true;
  let shrinking: Promise<void> | null = null;

  /** Takes a derivative away, in the transaction of the file's bytes. Throws AlreadyGone. */
  async function remove(tx: Tx, one: store.Kept): Promise<void> {
    // The file first, as whoever deletes it does: the other way round the two could lock each other out.
    const isThere = await files.weigh(
      tx,
      { id: one.file_id, bucket_id: one.bucket_id },
      -one.bytes,
    );
    if (!isThere || !(await store.deleteDerivative(tx, one.id))) throw new AlreadyGone();
    await scheduleDelete(tx, one.prefix, clock() + GRACE);
  }

  async function drop(one: store.Kept): Promise<void> {
    try {
      await database.transaction((tx) => remove(tx, one));
    } catch (error) {
      if (!(error instanceof AlreadyGone)) throw error;
    }
  }

  async function noteUses(): Promise<void> {
    const ids = [...used];
    used.clear();
    for (let from = 0; from < ids.length; from += BATCH) {
      await store.touch(db, ids.slice(from, from + BATCH), clock());
    }
  }

  async function shrink(): Promise<void> {
    await noteUses();
    total = await store.totalBytes(db);
    while (total > maxBytes) {
      const oldest = await store.leastUsed(db, BATCH);
      if (oldest.length === 0) return;
      for (const one of oldest) {
        if (total <= maxBytes) return;
        await drop(one);
        total -= one.bytes;
      }
    }
  }

  async function dropUnwanted(): Promise<void> {
    for (;;) {
      const rows = await store.unwanted(db, BATCH);
      for (const one of rows) await drop(one);
      if (rows.length < BATCH) return;
    }
  }

  /** One at a time; whoever asks meanwhile waits for its end. */
  const shrinkOnce = (): Promise<void> => {
    shrinking ??= shrink().finally(() => {
      shrinking = null;
    });
    return shrinking;
  };

  return {
    remove,
    drop,

    /** Remembers that a derivative was asked for; the row says so some seconds later. */
    touch(row: { id: string; used_at: number }): void {
      if (clock() - row.used_at >= TOUCH_EVERY) used.add(row.id);
    },

    /** Counts a new one, and makes others go when there are too many bytes. */
    added(bytes: number): void {
      total += bytes;
      if (total > maxBytes) void shrinkOnce().catch(onError);
    },

    /** Removes what there is too much of, and those of buckets that answer none any more. */
    async round(): Promise<void> {
      const isDue = clock() - lookedAt >= LOOK_EVERY;
      if (isDue || total > maxBytes) {
        lookedAt = clock();
        await shrinkOnce();
      } else await noteUses();
      if (!isDue && !isPolicyChanged) return;
      isPolicyChanged = false;
      await dropUnwanted();
    },

    /** A bucket may have turned its transforms off. */
    policyChanged(): void {
      isPolicyChanged = true;
    },

    /** Waits for what is being removed. */
    settle: async () => void (await shrinking?.catch(() => {})),
  };
}

export type Eviction = ReturnType<typeof createEviction>;

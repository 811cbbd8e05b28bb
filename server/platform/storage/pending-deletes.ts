import { SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { Executor } from '../db/port.ts';
import { rootOf } from '../region-routing.ts';
import * as store from './pending-deletes-store.ts';
import type { ObjectStore } from './port.ts';

const BATCH_SIZE = 100;
const CONCURRENCY = 8;
/** How long one prefix, which may be a bucket of a million files, keeps a place that others wait for. */
const TURN_MS = 10 * SECOND;
/** After this time the prefixes whose turn was over get another one. */
const PASS_MS = 30 * SECOND;

type Pass = {
  db: Executor;
  objects: Pick<ObjectStore, 'deletePrefix'>;
  /** Epoch milliseconds. */
  now: number;
  signal?: AbortSignal | undefined;
};

/**
 * Deletes the objects of pending deletes that are due, and then their rows, for up to half a minute. Does
 * nothing while a backup has paused deletions.
 * @returns whether some are left with which another call could go on
 * @throws the first failure, after all prefixes that do not fail
 */
export async function runPendingDeletes(pass: Pass): Promise<boolean> {
  const endsAt = performance.now() + PASS_MS;
  const deleted: string[] = [];
  const failures: unknown[] = [];
  const unavailableRoots = new Set<string>();
  let isMoreLeft = false;
  const flush = () => store.finishDeletes(pass.db, deleted.splice(0));

  async function* started() {
    for await (const prefix of startDue(pass)) {
      yield prefix;
      if (performance.now() <= endsAt) continue;
      isMoreLeft = true;
      return;
    }
  }

  try {
    await forEachConcurrent(started(), CONCURRENCY, async (prefix) => {
      if (unavailableRoots.has(rootOf(prefix))) return;
      try {
        if (await deleteForATurn(pass, prefix)) deleted.push(prefix);
        else isMoreLeft = true;
        if (deleted.length >= BATCH_SIZE) await flush();
      } catch (error) {
        failures.push(error);
        if (isUnavailable(error)) unavailableRoots.add(rootOf(prefix));
      }
    });
  } finally {
    await flush();
  }
  if (failures.length > 0) throw failures[0];
  return isMoreLeft && !pass.signal?.aborted;
}

/** Starts the deletes that are due, batch by batch, and yields their prefixes. */
async function* startDue({ db, now, signal }: Pass): AsyncGenerator<string> {
  let after: store.DueDelete | undefined;
  for (;;) {
    if (signal?.aborted || (await store.areDeletionsPaused(db, now))) return;
    const due = await store.findDueDeletes(db, { now, after, limit: BATCH_SIZE });
    if (due.length === 0) return;
    const prefixes = due.map(({ prefix }) => prefix);
    yield* await store.startDeletes(db, prefixes, now);
    after = due.at(-1);
  }
}

/** Deletes objects until the turn of their prefix is over. Returns whether all of them are gone. */
async function deleteForATurn({ db, objects, now, signal }: Pass, prefix: string) {
  const endsAt = performance.now() + TURN_MS;
  const isOver = () => signal?.aborted === true || performance.now() > endsAt;
  const isDone = await objects.deletePrefix(prefix, isOver);
  if (!isDone) await store.renewDelete(db, prefix, now);
  return isDone;
}

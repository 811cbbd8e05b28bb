import { HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { isUnavailable } from '../../errors.ts';
import { forEachConcurrent } from '../concurrency.ts';
import type { Executor } from '../db/port.ts';
import { rootOf } from '../region-routing.ts';
import { areDeletionsPaused } from './deletion-pause-store.ts';
import * as store from './due-deletes-store.ts';
import type { ObjectStore } from './port.ts';

const BATCH_SIZE = 100;
const CONCURRENCY = 8;
/** How long one prefix, which may be a bucket of a million files, keeps a place that others wait for. */
const TURN_MS = 10 * SECOND;
/** After this time the prefixes whose turn was over get another one. */
const PASS_MS = 30 * SECOND;
/** How long a prefix waits that was not attempted, because the storage of its region does not respond. */
const UNAVAILABLE_DELAY_MS = MINUTE;
const MAX_ERROR_LENGTH = 500;

/** Returns for how long a delete is put off that has failed so many times before, in milliseconds. */
export const retryDelayMs = (failures: number): number => Math.min(MINUTE * 2 ** failures, HOUR);

type Pass = {
  db: Executor;
  objects: Pick<ObjectStore, 'delete' | 'deletePrefix'>;
  /** Epoch milliseconds. */
  now: number;
  signal?: AbortSignal | undefined;
};

/**
 * Deletes the objects of pending deletes that are due, for up to half a minute, and notes that they are
 * gone. One that fails is put off with its reason, so that it is not the first one of each pass. Does
 * nothing while a backup has paused deletions.
 * @returns whether some are left with which another call could go on
 */
export async function runPendingDeletes(pass: Pass): Promise<boolean> {
  const { db, now, signal } = pass;
  const endsAt = performance.now() + PASS_MS;
  const deleted: string[] = [];
  const unfinished: string[] = [];
  const skipped: string[] = [];
  const unavailableRoots = new Set<string>();
  let isMoreLeft = false;

  async function* started() {
    for await (const row of startDue(pass)) {
      yield row;
      if (performance.now() <= endsAt) continue;
      isMoreLeft = true;
      return;
    }
  }

  async function attempt({ prefix, failures }: store.StartedDelete): Promise<void> {
    if (unavailableRoots.has(rootOf(prefix))) return void skipped.push(prefix);
    try {
      const isDone = await deleteForATurn(pass, prefix);
      (isDone ? deleted : unfinished).push(prefix);
    } catch (error) {
      if (isUnavailable(error)) unavailableRoots.add(rootOf(prefix));
      const until = now + retryDelayMs(failures);
      await store.failDelete(db, prefix, { until, error: messageOf(error) });
    }
  }

  async function flush(): Promise<void> {
    isMoreLeft ||= unfinished.length > 0;
    await store.finishDeletes(db, deleted.splice(0), now);
    // Behind those that are due, which all get a turn before the next one of a large prefix.
    await store.postponeDeletes(db, unfinished.splice(0), now + 1);
    await store.postponeDeletes(db, skipped.splice(0), now + UNAVAILABLE_DELAY_MS);
  }

  try {
    await forEachConcurrent(started(), CONCURRENCY, async (row) => {
      await attempt(row);
      if (deleted.length + skipped.length >= BATCH_SIZE) await flush();
    });
  } finally {
    await flush();
  }
  return isMoreLeft && !signal?.aborted;
}

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);

/** Starts the deletes that are due, batch by batch, and yields them. */
async function* startDue({ db, now, signal }: Pass): AsyncGenerator<store.StartedDelete> {
  let after: store.DueDelete | undefined;
  for (;;) {
    if (signal?.aborted || (await areDeletionsPaused(db, now))) return;
    const due = await store.findDueDeletes(db, { now, after, limit: BATCH_SIZE });
    if (due.length === 0) return;
    const prefixes = due.map(({ prefix }) => prefix);
    yield* await store.startDeletes(db, prefixes, now);
    after = due.at(-1);
  }
}

/** Deletes objects until the turn of their prefix is over. Returns whether all of them are gone. */
async function deleteForATurn({ objects, signal }: Pass, prefix: string): Promise<boolean> {
  const endsAt = performance.now() + TURN_MS;
  const isOver = () => signal?.aborted === true || performance.now() > endsAt;
  if (prefix.endsWith('/')) return objects.deletePrefix(prefix, isOver);
  await objects.delete(prefix);
  return true;
}

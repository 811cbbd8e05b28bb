import type { Database } from '../../db/port.ts';
import { openMemoryEvents } from '../../events/memory.ts';
import type { Handler } from '../handler.ts';
import { Queue, type QueueTimes } from '../queue.ts';

export const QUICK: QueueTimes = {
  pollIntervalMs: 10,
  heartbeatIntervalMs: 20,
  leaseMs: 2000,
  backOffMs: 5,
  unavailableDelayMs: 30,
};
const running: { stop(): Promise<void> }[] = [];

/**
 * Stops all queues that `open` has opened. Call it after each test, so that a failing test leaves none
 * running.
 */
export async function stopQueues() {
  for (const queue of running.splice(0)) await queue.stop();
}

/** Opens a queue that runs jobs of the kind 'count', quickly and one at a time. */
export function open(
  database: Database,
  handler: Partial<Handler<{ n: number }>>,
  more: Partial<ConstructorParameters<typeof Queue>[0]> = {},
) {
  const errors: unknown[] = [];
  const queue = new Queue({
    database,
    clock: Date.now,
    events: openMemoryEvents({ onError: () => {} }),
    onError: (error) => errors.push(error),
    times: QUICK,
    ...more,
  });
  queue.handle('count', {
    concurrency: 1,
    isKept: true,
    run: async () => async () => {},
    ...handler,
  });
  running.push(queue);
  return { queue, errors };
}

/** Returns a job about the subject of its number. */
export const job = (n: number) => ({ kind: 'count', subject: `s${n}`, payload: { n } });

/** Returns the subjects and states of all jobs, by subject. */
export const states = async (database: Database) =>
  (
    await database.db.selectFrom('jobs').select(['subject', 'state']).orderBy('subject').execute()
  ).map((row) => `${row.subject} ${row.state}`);

/** Polls every 10 ms until `what` returns true. Throws after 100 seconds. */
export async function until(what: () => Promise<boolean> | boolean) {
  const deadline = performance.now() + 100_000;
  while (!(await what())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(10);
  }
}

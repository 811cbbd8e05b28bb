import type { Database } from '../../db/port.ts';
import { openMemoryEvents } from '../../events/memory.ts';
import type { Handler } from '../handler.ts';
import { Queue, type QueueTimes } from '../queue.ts';

export const QUICK: QueueTimes = { poll: 10, heartbeat: 20, lease: 200, backOff: 5, away: 30 };
const running: { stop(): Promise<void> }[] = [];

/** Stops what `open` opened: after each test, or one that fails leaves its queue at work. */
export async function stopQueues() {
  for (const queue of running.splice(0)) await queue.stop();
}

/** A queue for jobs of the kind 'count', done quickly and one at a time. */
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
  queue.handle('count', { concurrency: 1, run: async () => async () => {}, ...handler });
  running.push(queue);
  return { queue, errors };
}

/** One for the queue, about the subject of its number. */
export const job = (n: number) => ({ kind: 'count', subject: `s${n}`, payload: { n } });

/** Of all jobs, by their subjects. */
export const states = async (database: Database) =>
  (
    await database.db.selectFrom('jobs').select(['subject', 'state']).orderBy('subject').execute()
  ).map((row) => `${row.subject} ${row.state}`);

/** Asks every 10 ms. Throws after some seconds. */
export async function until(what: () => Promise<boolean> | boolean) {
  for (let i = 0; i < 500; i += 1) {
    if (await what()) return;
    await Bun.sleep(10);
  }
  throw new Error('waited in vain');
}

import type { Tx } from './port.ts';

type Work = () => void | Promise<void>;

/** What waits for the commits of the transactions that run. */
const waiting = new WeakMap<Tx, Work[]>();

/** Calls `work` once a transaction is committed, in the order of such calls; never where it is undone. */
export function afterCommit(tx: Tx, work: Work): void {
  const works = waiting.get(tx);
  if (!works) throw new Error('This transaction was not started by Database.transaction.');
  works.push(work);
}

/**
 * Runs a transaction, and then all that `afterCommit` was given in it: the change is made, and others must hear of it
 * also where one of these fails. Throws the first failure.
 * @param run runs the transaction, more than once where others overtake it
 */
export async function runWithCommits<Result>(
  work: (tx: Tx) => Promise<Result>,
  run: (work: (tx: Tx) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  let works: Work[] = [];
  const result = await run((tx) => {
    works = [];
    waiting.set(tx, works);
    return work(tx);
  });
  const failures: unknown[] = [];
  for (const one of works) {
    try {
      await one();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return result;
}

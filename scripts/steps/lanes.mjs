import { availableParallelism } from 'node:os';

/** Steps wait for servers and clocks half of their time: with two at once no core is idle, or fought over. */
const MOST = 2;
/** What hears nothing for ten minutes may take a run for hung: some machines that run tests do. */
const WORD_EVERY = 60_000;

/** How many steps may run at once on this machine. */
export const laneCount = () => Math.min(MOST, availableParallelism());

/**
 * Runs steps in their order, so many at a time, and says when one begins and ends, and what is at work.
 * @template T
 * @param {Record<string, () => Promise<T>>} steps by name
 * @param {object} options
 * @param {number} options.lanes how many at a time
 * @param {(line: string) => void} options.say
 * @param {number} [options.wordEvery] milliseconds
 * @returns {Promise<T[]>} what they came to, in their order; rejects with the first that rejects
 */
export async function inLanes(steps, { lanes, say, wordEvery = WORD_EVERY }) {
  const entries = Object.entries(steps);
  /** @type {T[]} */
  const results = [];
  /** @type {Set<string>} */
  const atWork = new Set();
  let next = 0;
  const lane = async () => {
    while (next < entries.length) {
      const at = next++;
      const [name, run] = /** @type {[string, () => Promise<T>]} */ (entries[at]);
      const started = performance.now();
      atWork.add(name);
      say(`begun: tests ${name}`);
      results[at] = await run();
      atWork.delete(name);
      say(`ended: tests ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
    }
  };
  const word = setInterval(() => say(`at work: tests ${[...atWork].join(', ')}`), wordEvery);
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    clearInterval(word);
  }
  return results;
}

/**
 * The result of a job. `output` is printed and is empty if all tests passed. `ms` is set if the job shared
 * its process with others, `parts` if several files shared the job's process.
 * @typedef {{ name: string, ms: number }} Part
 * @typedef {{ tally: import('./tally.mjs').Tally, output: string, ms?: number, parts?: Part[] }} Result
 * @typedef {{ name: string, run: () => Promise<Result> }} Job
 * @typedef {Result & { name: string, ms: number }} Done
 */

/** Some CI services stop a run that prints nothing for ten minutes. */
const STILL_RUNNING_INTERVAL_MS = 60_000;

/**
 * Runs jobs in order, several at a time. Prints a line when each ends, and the output of failed ones.
 * @param {Job[]} jobs
 * @param {object} options
 * @param {number} options.concurrency how many run at a time
 * @param {(line: string) => void} options.print
 * @param {number} [options.intervalMs] how often the running jobs are printed, in milliseconds
 * @returns {Promise<Done[]>} in the order of the jobs; rejects with the first that rejects
 */
export async function runJobs(
  jobs,
  { concurrency, print, intervalMs = STILL_RUNNING_INTERVAL_MS },
) {
  /** @type {Done[]} */
  const done = [];
  /** @type {Set<string>} */
  const running = new Set();
  let next = 0;
  let finished = 0;
  const lane = async () => {
    while (next < jobs.length) {
      const at = next++;
      const { name, run } = /** @type {Job} */ (jobs[at]);
      const started = performance.now();
      running.add(name);
      const result = await run();
      running.delete(name);
      finished += 1;
      done[at] = { name, ms: performance.now() - started, ...result };
      print(lineOf(/** @type {Done} */ (done[at]), `${finished}/${jobs.length}`));
      if (result.output) print(result.output);
    }
  };
  const reporter = setInterval(() => print(`running: ${[...running].join(', ')}`), intervalMs);
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, lane));
  } finally {
    clearInterval(reporter);
  }
  return done;
}

/** @param {Done} done @param {string} position such as '3/40' */
function lineOf({ name, ms, tally }, position) {
  const { passed, failed, skipped } = tally;
  const state = failed.length > 0 ? 'FAILED' : passed > 0 ? 'ok' : 'skipped';
  const counts = [
    `${passed} passed`,
    failed.length > 0 && `${failed.length} failed`,
    skipped.length > 0 && `${skipped.length} skipped`,
  ];
  return `${position.padStart(7)} ${state.padEnd(7)} ${name} (${counts.filter(Boolean).join(', ')}, ${seconds(ms)})`;
}

/** Returns a line for each of the slowest files. @param {Done[]} done @param {number} count */
export function slowestLines(done, count) {
  return done
    .flatMap((one) => one.parts ?? [one])
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, count)
    .map(({ name, ms }) => `${seconds(ms).padStart(8)}  ${name}`);
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

const REPORTER = fileURLToPath(new URL('browser-reporter.mjs', import.meta.url));
/** @typedef {import('./pool.mjs').Result} Result */

/**
 * Runs files of browser tests in one Playwright run, so that its workers keep their browser and server
 * from one file to the next.
 * @param {string} root the project's folder
 * @param {string[]} files their paths in that folder
 * @param {number} workers how many files run at once
 * @returns `resultOf` resolves with the result of a file, and its first call starts the run. Errors outside
 *   of tests are part of the result of the file that ends last. `ended` resolves after the last browser was
 *   closed.
 */
export function browserTests(root, files, workers) {
  /** @type {Map<string, Result>} */
  const finished = new Map();
  /** @type {Map<string, (result: Result) => void>} */
  const waiting = new Map();
  const results = new Map(
    files.map((file) => [
      file,
      new Promise((/** @type {(result: Result) => void} */ resolve) => waiting.set(file, resolve)),
    ]),
  );

  const run = async () => {
    const command = [join(root, 'node_modules/.bin/playwright'), 'test'];
    const options = [`--reporter=${REPORTER}`, `--workers=${workers}`];
    const outcome = await runStep([...command, ...options, ...files], {
      cwd: root,
      onLine(line) {
        const fileLine = readLine(line);
        if (!fileLine) return;
        finished.set(fileLine.file, fileLine);
        if (finished.size < files.length) waiting.get(fileLine.file)?.(fileLine);
      },
    });
    const unfinished = files.filter((file) => !finished.has(file));
    for (const file of unfinished.length > 0 ? unfinished : [...finished.keys()].slice(-1)) {
      waiting.get(file)?.(judgeLast(file, outcome, finished));
    }
  };

  let hasStarted = false;
  return {
    /** @param {string} file @returns {Promise<Result>} */
    resultOf(file) {
      if (!hasStarted) void run();
      hasStarted = true;
      return results.get(file) ?? Promise.reject(new Error(`${file} is not one of the files`));
    },
    ended: async () => void (await Promise.all(results.values())),
  };
}

/**
 * Returns the result of the file that ended last, or of one that the run reported nothing about.
 * @param {string} file
 * @param {import('./step.mjs').Outcome} outcome
 * @param {Map<string, Result>} results
 * @returns {Result} `ms` is what its tests took, not how long the run has waited for it
 */
function judgeLast(file, outcome, results) {
  const result = results.get(file);
  // A failed test in any file explains an exit status other than 0.
  const isExplained = result && [...results.values()].some(({ tally }) => tally.failed.length > 0);
  const status = isExplained ? 0 : outcome.status;
  const tally = judge(file, { ...outcome, status }, result?.tally ?? null);
  const lines = outcome.output.split('\n').filter((line) => readLine(line) === null);
  const isTrouble = tally.failed.length > (result?.tally.failed.length ?? 0);
  const output = isTrouble ? lines.join('\n').trim() : (result?.output ?? '');
  return { ...result, tally, output };
}

/** @param {string} line @returns {import('./browser-reporter.mjs').FileLine | null} */
function readLine(line) {
  try {
    const parsed = JSON.parse(line);
    return typeof parsed?.file === 'string' ? parsed : null;
  } catch {
    return null;
  }
}

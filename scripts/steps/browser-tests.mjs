import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

const REPORTER = fileURLToPath(new URL('browser-reporter.mjs', import.meta.url));
/** @typedef {import('./pool.mjs').Result} Result */

/**
 * Runs files of browser tests in one Playwright: its workers keep their browser and their server from one
 * file to the next.
 * @param {string} root the project's folder
 * @param {string[]} files their paths in there
 * @param {number} workers how many files at once
 * @returns what a file came to, by `resultOf`, whose first call begins the run; what goes wrong outside of
 *   tests is told with the file that ends last. `ended` resolves when there is no browser any more.
 */
export function browserTests(root, files, workers) {
  /** @type {Map<string, Result>} */
  const ended = new Map();
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
        const told = readLine(line);
        if (!told) return;
        ended.set(told.file, told);
        if (ended.size < files.length) waiting.get(told.file)?.(told);
      },
    });
    const lost = files.filter((file) => !ended.has(file));
    for (const file of lost.length > 0 ? lost : [...ended.keys()].slice(-1)) {
      waiting.get(file)?.(judgeLast(file, outcome, ended));
    }
  };

  let hasBegun = false;
  return {
    /** @param {string} file @returns {Promise<Result>} */
    resultOf(file) {
      if (!hasBegun) void run();
      hasBegun = true;
      return results.get(file) ?? Promise.reject(new Error(`${file} is not one of the files`));
    },
    ended: async () => void (await Promise.all(results.values())),
  };
}

/**
 * What the last file came to, or one that the run has told nothing of.
 * @param {string} file
 * @param {import('./step.mjs').Outcome} outcome
 * @param {Map<string, Result>} ended
 * @returns {Result}
 */
function judgeLast(file, outcome, ended) {
  const told = ended.get(file);
  // A test that failed makes the status what it is, whatever file it is in.
  const isExplained = told && [...ended.values()].some(({ tally }) => tally.failed.length > 0);
  const status = isExplained ? 0 : outcome.status;
  const tally = judge(file, { ...outcome, status }, told?.tally ?? null);
  const lines = outcome.output.split('\n').filter((line) => readLine(line) === null);
  const isTrouble = tally.failed.length > (told?.tally.failed.length ?? 0);
  return { tally, output: isTrouble ? lines.join('\n').trim() : (told?.output ?? '') };
}

/** @param {string} line @returns {import('./browser-reporter.mjs').FileLine | null} */
function readLine(line) {
  try {
    const told = JSON.parse(line);
    return typeof told?.file === 'string' ? told : null;
  } catch {
    return null;
  }
}

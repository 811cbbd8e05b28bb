import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** How many lines at the end of a server's log are printed with each failed test. */
const LAST_LINES = 30;

/**
 * Prints one line of JSON, a `FileLine`, for each file of browser tests when its last test has ended.
 * @typedef {import('./pool.mjs').Result & { file: string, ms: number }} FileLine
 */
export default class BrowserReporter {
  /** The tests of each file that have not ended. @type {Map<string, Set<TestCase>>} */
  #waiting = new Map();
  /** @type {Map<string, import('./pool.mjs').Result & { ms: number }>} */
  #results = new Map();

  /**
   * @param {unknown} _config
   * @param {import('@playwright/test/reporter').Suite} suite
   * @typedef {import('@playwright/test/reporter').TestCase} TestCase
   * @typedef {import('@playwright/test/reporter').TestResult} TestResult
   */
  onBegin(_config, suite) {
    for (const test of suite.allTests()) {
      const file = fileOf(test);
      this.#waiting.set(file, (this.#waiting.get(file) ?? new Set()).add(test));
      this.#results.set(file, { tally: { passed: 0, failed: [], skipped: [] }, output: '', ms: 0 });
    }
  }

  /** @param {TestCase} test @param {TestResult} result */
  onTestEnd(test, result) {
    const file = fileOf(test);
    const waiting = this.#waiting.get(file);
    const fileResult = this.#results.get(file);
    if (!waiting || !fileResult) return;
    const name = nameOf(test);
    fileResult.ms += result.duration;
    const outcome = test.outcome();
    if (outcome === 'expected') fileResult.tally.passed += 1;
    else fileResult.tally[outcome === 'skipped' ? 'skipped' : 'failed'].push(name);
    if (outcome === 'unexpected' || outcome === 'flaky')
      fileResult.output += failureText(name, result);
    waiting.delete(test);
    if (waiting.size === 0) console.log(JSON.stringify({ file, ...fileResult }));
  }

  /** Prints errors outside of tests, such as a file that can't be loaded or a server that does not stop. */
  onError(/** @type {import('@playwright/test/reporter').TestError} */ error) {
    console.error(error.stack ?? error.message ?? error.value);
  }

  printsToStdio() {
    return true;
  }
}

/** @param {TestCase} test */
const fileOf = (test) => relative(process.cwd(), test.location.file);

/** @param {TestCase} test */
const nameOf = (test) => [fileOf(test), ...test.titlePath().slice(3)].join(' > ');

/** @param {string} name @param {TestResult} result */
function failureText(name, { errors, attachments }) {
  const texts = errors.map(({ stack, message, value, snippet }) =>
    [stack ?? message ?? value, snippet].filter(Boolean).join('\n'),
  );
  const more = attachments.map(({ name, path, body }) => `${name}: ${path ?? lastLines(body)}`);
  // Playwright colours its messages, also where they go to a file.
  return `${stripVTControlCharacters([name, ...texts, ...more].join('\n')).trimEnd()}\n`;
}

/** @param {Buffer | undefined} body */
const lastLines = (body) =>
  `\n${`${body ?? ''}`.trimEnd().split('\n').slice(-LAST_LINES).join('\n')}`;

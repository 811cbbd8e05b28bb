import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCeph, hasPostgresql } from '../setup/test-programs.mjs';
import { browserTests } from './browser-tests.mjs';
import { runBunFile } from './bun-tests.mjs';
import { runsOnPostgres } from './postgres-tests.mjs';

const FOLDERS = ['server', 'islands', 'media', 'scripts', 'bench', 'tests'];
const BROWSER = '.e2e.ts';
/**
 * These tests add a network interface to the machine. Chromium then aborts all requests with
 * ERR_NETWORK_CHANGED, so they wait until the browser tests have ended.
 */
const CHANGES_NETWORK = 'tests/packaging/compose';
/** Parts of the paths of slow tests, the slowest last. Within a group, larger files are slower. */
const SLOW = ['tests/http/', 'tests/packaging/', CHANGES_NETWORK, 'tests/resilience/'];

/**
 * Returns a job for each test file whose path contains one of `words`, or for every file if there are no
 * words: tests of modules, of whole servers, some of these again on PostgreSQL and S3, and browser tests.
 * @param {string} root the project's folder
 * @param {string[]} words
 * @param {{ env: Record<string, string>, hasChromium: boolean, concurrency: number }} options `env` is the
 *   environment of all tests, `concurrency` the number of jobs that run at a time
 * @returns {{ jobs: import('./pool.mjs').Job[], skipped: string[] }} `skipped` names what this
 *   machine can't run
 */
export function findJobs(root, words, { env, hasChromium, concurrency }) {
  const files = testFiles(root).filter(
    (file) => words.length === 0 || words.some((term) => file.includes(term)),
  );
  // Playwright starts the files in this order.
  const inBrowser = files.filter((file) => file.endsWith(BROWSER)).sort();
  const others = files.filter((file) => !file.endsWith(BROWSER));
  const twice = others.filter(runsOnPostgres);
  const label = hasCeph() ? 'on PostgreSQL and S3: ' : 'on PostgreSQL: ';
  /** @type {Record<string, string>} */
  const onPostgres = { ...env, WHARF_TEST_ENGINE: 'postgres' };
  if (hasCeph()) onPostgres.WHARF_TEST_STORAGE = 's3';

  const browsers = browserTests(root, hasChromium ? inBrowser : [], concurrency);
  const browserJobs = inBrowser.map((file) => ({
    name: file,
    run: () => browsers.resultOf(file),
  }));
  const otherSteps = others.map((file) => ({
    name: file,
    async run() {
      if (file.includes(CHANGES_NETWORK)) await browsers.ended();
      return runBunFile(root, file, { env });
    },
  }));
  const postgresJobs = twice.map((file) => ({
    name: `${label}${file}`,
    run: () => runBunFile(root, file, { env: onPostgres, label }),
  }));
  return {
    jobs: [
      ...(hasChromium ? browserJobs : []),
      ...otherSteps,
      ...(hasPostgresql() ? postgresJobs : []),
    ],
    skipped: [
      ...(hasChromium ? [] : inBrowser.map((file) => `${file}: Chromium is not installed`)),
      ...(hasPostgresql() ? [] : twice.map((file) => `${file}: PostgreSQL is not installed`)),
    ],
  };
}

/**
 * Returns the paths of all test files, the slowest first, because a slow one that starts last delays the end.
 * @param {string} root
 */
function testFiles(root) {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(test|e2e)\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const rank = (/** @type {string} */ file) => SLOW.findLastIndex((part) => file.includes(part));
  const size = (/** @type {string} */ file) => statSync(join(root, file)).size;
  return paths.sort((one, other) => rank(other) - rank(one) || size(other) - size(one));
}

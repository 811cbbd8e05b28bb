import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCeph, hasPostgresql } from '../setup/test-programs.mjs';
import { browserTests } from './browser-tests.mjs';
import { runBunFile } from './bun-tests.mjs';
import { runsOnPostgres } from './postgres-tests.mjs';

const FOLDERS = ['server', 'islands', 'media', 'scripts', 'bench', 'tests'];
const BROWSER = '.e2e.ts';
/**
 * Tests that give the machine another network interface, upon which Chromium breaks off all that it loads, with
 * ERR_NETWORK_CHANGED: these wait for the end of the browser tests.
 */
const CHANGES_NETWORK = 'tests/packaging/compose';
/** Parts of paths whose tests take long, from the quicker to the slowest; among their like, large files do. */
const SLOW = ['tests/http/', 'tests/packaging/', CHANGES_NETWORK, 'tests/resilience/'];

/**
 * Every test file whose path holds one of `words`, or every one where there are none: those of modules and
 * of whole servers, these once more on PostgreSQL and S3, and those in the browser.
 * @param {string} root the project's folder
 * @param {string[]} words
 * @param {{ env: Record<string, string>, hasChromium: boolean, concurrency: number }} options `env` is that of
 *   all tests, `concurrency` how many of the jobs run at a time
 * @returns {{ jobs: import('./pool.mjs').Job[], skipped: string[] }} `skipped`: what this machine can't run
 */
export function findJobs(root, words, { env, hasChromium, concurrency }) {
  const files = testFiles(root).filter(
    (file) => words.length === 0 || words.some((term) => file.includes(term)),
  );
  // In the order in which Playwright begins them.
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

/** Paths of all test files, the slowest first: a slow one that begins last keeps all waiting. @param {string} root */
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

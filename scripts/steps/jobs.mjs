import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCeph, hasPostgresql } from '../setup/test-programs.mjs';
import { browserTests } from './browser-tests.mjs';
import { runBunFiles } from './bun-tests.mjs';
import { otherEngines } from './postgres-tests.mjs';

const FOLDERS = ['server', 'islands', 'media', 'scripts', 'bench', 'tests'];
const BROWSER = '.e2e.ts';
/**
 * These tests add a network interface to the machine. Chromium then aborts all requests with
 * ERR_NETWORK_CHANGED, so they wait until the browser tests have ended.
 */
const CHANGES_NETWORK = 'tests/packaging/compose';
/** Tests that kill processes or fill up disks. Each file has a process of its own. */
const APART = ['tests/packaging/', 'tests/resilience/'];
const POSTGRES_LABEL = 'on PostgreSQL';
/** Parts of the names of slow groups, the slowest last. Among others, the larger are slower. */
const SLOW = [
  'scripts/steps',
  'tests/http/',
  'tests/s3',
  'media/',
  'server/',
  POSTGRES_LABEL,
  'tests/packaging/',
  CHANGES_NETWORK,
  'tests/resilience/',
];

/**
 * Returns the jobs of all test files whose path contains one of `words`, or of every file if there are no
 * words: tests of modules and of whole servers, a job for each group of files, some of these again on
 * PostgreSQL, and browser tests, a job for each file.
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
  const inBrowser = files.filter((file) => file.endsWith(BROWSER));
  const others = files.filter((file) => !file.endsWith(BROWSER));
  const browsers = browserTests(root, hasChromium ? inBrowser : [], concurrency);
  const browserJobs = inBrowser.map((file) => ({
    name: file,
    run: () => browsers.resultOf(file),
  }));
  const otherJobs = groups(root, others).map((group) => ({
    ...group,
    async run() {
      if (group.name.includes(CHANGES_NETWORK)) await browsers.ended();
      return runBunFiles(root, group, { env });
    },
  }));
  const engines = otherEngines(hasCeph());
  const engineJobs = engines.flatMap(({ label, isFor, env: ofEngine }) =>
    groups(root, others.filter(isFor)).map((group) => ({
      ...group,
      name: `${label}: ${group.name}`,
      run: () => runBunFiles(root, group, { env: { ...env, ...ofEngine }, label: `${label}: ` }),
    })),
  );
  return {
    jobs: [
      ...(hasChromium ? browserJobs : []),
      ...slowestFirst([...otherJobs, ...(hasPostgresql() ? engineJobs : [])]),
    ],
    skipped: [
      ...(hasChromium ? [] : inBrowser.map((file) => `${file}: Chromium is not installed`)),
      ...(hasPostgresql()
        ? []
        : others
            .filter((file) => engines.some(({ isFor }) => isFor(file)))
            .map((file) => `${file}: PostgreSQL is not installed`)),
    ],
  };
}

/**
 * Returns the files of each folder as one group. A group runs in one process, because loading the same
 * modules for each file takes longer than most tests.
 * @param {string} root
 * @param {string[]} files
 */
function groups(root, files) {
  /** @type {Map<string, { name: string, files: string[], bytes: number }>} */
  const byName = new Map();
  for (const file of files) {
    const name = groupOf(file);
    const group = byName.get(name) ?? { name, files: [], bytes: 0 };
    group.files.push(file);
    group.bytes += statSync(join(root, file)).size;
    byName.set(name, group);
  }
  return [...byName.values()];
}

/**
 * Orders jobs of groups by how long they take, because a slow one that starts last delays the end.
 * @template {{ name: string, bytes: number }} Job
 * @param {Job[]} jobs
 */
function slowestFirst(jobs) {
  const rank = (/** @type {string} */ name) => SLOW.findLastIndex((part) => name.includes(part));
  return jobs.toSorted(
    (one, other) => rank(other.name) - rank(one.name) || other.bytes - one.bytes,
  );
}

/** @param {string} file */
function groupOf(file) {
  if (APART.some((folder) => file.startsWith(folder))) return file;
  const depth = file.startsWith('tests/') ? 3 : 2;
  return dirname(file).split('/').slice(0, depth).join('/');
}

/** Returns the paths of all test files. @param {string} root */
function testFiles(root) {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(test\.tsx?|e2e\.ts)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ).sort();
}

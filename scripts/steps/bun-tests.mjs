import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bunPath } from '../setup/bun.mjs';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

/** No test takes this long, so the limit only ends a test that hangs. */
const TEST_TIMEOUT_MS = 10 * 60_000;

/**
 * Runs the tests of files with `bun test`, one file after another in one process.
 * @param {string} root the project's folder
 * @param {{ name: string, files: string[] }} group the files' paths in that folder
 * @param {{ env?: Record<string, string>, label?: string }} [options] `label` is printed before the names
 * @returns {Promise<import('./pool.mjs').Result>}
 */
export async function runBunFiles(root, { name, files }, { env = {}, label = '' } = {}) {
  const report = join(
    root,
    'test-results',
    `${`${label}${name}`.replaceAll(/[^\w.-]+/g, '_')}.xml`,
  );
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const paths = files.map((file) => `./${file}`);
  const command = [bunPath(root), 'test', `--timeout=${TEST_TIMEOUT_MS}`, ...reporter, ...paths];
  const outcome = await runStep(command, { cwd: root, env: { NODE_ENV: 'test', ...env } });
  const xml = readReport(report);
  const times = parseTimes(xml ?? '');
  const tally = judge(name, outcome, xml === null ? null : parseJunit(xml));
  const empty = xml === null ? [] : files.filter((file) => !times.has(file));
  const failed = [...tally.failed, ...empty.map((file) => `${file}: ran no tests`)];
  const named = (/** @type {string[]} */ names) => names.map((one) => `${label}${one}`);
  return {
    tally: { ...tally, failed: named(failed), skipped: named(tally.skipped) },
    output: failed.length > 0 ? failuresOf(outcome.output) : '',
    parts: files.map((file) => ({ name: `${label}${file}`, ms: times.get(file) ?? 0 })),
  };
}

/**
 * Returns what Bun printed about the failed tests and the files that can't be loaded, below the names of
 * their files. If it names none, as after a crash, returns all of its output.
 * @param {string} output
 */
export function failuresOf(output) {
  /** @type {string[]} */
  const lines = [];
  /** The line that names the current file, until it is printed. @type {string[]} */
  let heading = [];
  /** @type {string[]} */
  let block = [];
  const endBlock = () => {
    const hasFailed = block.some((line) => /^(\(fail\)|# Unhandled error) /.test(line));
    if (hasFailed) lines.push(...heading.splice(0), ...block);
    block = [];
  };
  for (const line of output.split('\n')) {
    if (/^\S+\.test\.tsx?:$/.test(line)) {
      endBlock();
      heading = [line];
    } else block.push(line);
    if (/^\((pass|skip|todo|fail)\) /.test(line)) endBlock();
  }
  endBlock();
  return (lines.length > 0 ? lines : output.split('\n')).join('\n').trim();
}

/** @param {string} file */
function readReport(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Returns the milliseconds of each file that ran tests, from a JUnit report in Bun's format. @param {string} xml */
export function parseTimes(xml) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const [, attributes = ''] of xml.matchAll(/^ {2}<testsuite ([^>]*)>/gm)) {
    if (attribute(attributes, 'tests') === '0') continue;
    times.set(attribute(attributes, 'file'), Number(attribute(attributes, 'time')) * 1000);
  }
  return times;
}

/**
 * Counts the cases of a JUnit report in Bun's format. The names are `file: describe > test`.
 * @param {string} xml
 * @returns {import('./tally.mjs').Tally}
 */
export function parseJunit(xml) {
  /** @type {import('./tally.mjs').Tally} */
  const tally = { passed: 0, failed: [], skipped: [] };
  for (const [, attributes = '', body = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    const group = attribute(attributes, 'classname');
    const file = attribute(attributes, 'file');
    const title = [group, attribute(attributes, 'name')].filter(Boolean).join(' > ');
    const name = `${file}: ${title}`;
    if (body.includes('<skipped')) tally.skipped.push(name);
    else if (/<(failure|error)/.test(body)) tally.failed.push(name);
    else tally.passed += 1;
  }
  return tally;
}

/** @param {string} attributes @param {string} name */
function attribute(attributes, name) {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bunPath } from '../setup/bun.mjs';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

/** No test takes this long, so the limit only ends a test that hangs. */
const TEST_TIMEOUT_MS = 10 * 60_000;

/**
 * Runs the tests of one file with `bun test`.
 * @param {string} root the project's folder
 * @param {string} file its path in that folder
 * @param {{ env?: Record<string, string>, label?: string }} [options] `label` is printed before the file's name
 * @returns {Promise<import('./pool.mjs').Result>}
 */
export async function runBunFile(root, file, { env = {}, label = '' } = {}) {
  const name = `${label}${file}`;
  const report = join(root, 'test-results', `${name.replaceAll(/[^\w.-]+/g, '_')}.xml`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const command = [bunPath(root), 'test', `--timeout=${TEST_TIMEOUT_MS}`, ...reporter, `./${file}`];
  const outcome = await runStep(command, { cwd: root, env: { NODE_ENV: 'test', ...env } });
  const tally = judge(name, outcome, readReport(report));
  const named = (/** @type {string[]} */ names) => names.map((one) => `${label}${one}`);
  return {
    tally: { ...tally, failed: named(tally.failed), skipped: named(tally.skipped) },
    output: tally.failed.length > 0 ? failuresOf(outcome.output) : '',
  };
}

/**
 * Returns what Bun printed about the failed tests. If it names none, as after a crash or when a file can't
 * be loaded, returns all of its output.
 * @param {string} output
 */
export function failuresOf(output) {
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  let block = [];
  for (const line of output.split('\n')) {
    block.push(line);
    if (/^\(fail\) /.test(line)) lines.push(...block);
    if (/^\((pass|skip|todo|fail)\) /.test(line)) block = [];
  }
  return (lines.length > 0 ? lines : output.split('\n')).join('\n').trim();
}

/** @param {string} file */
function readReport(file) {
  try {
    return parseJunit(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
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

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bunPath } from '../setup/bun.mjs';
import { hasCeph } from '../setup/ceph.mjs';
import { hasPostgresql } from '../setup/postgresql.mjs';
import { postgresTests } from './postgres-tests.mjs';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

const MINUTE = 60_000;
/** Bun's own five seconds are short for an encoder beside another step. */
const PATIENCE = 20_000;

/**
 * Runs `bun test`.
 * @param {string} root the project's folder
 * @param {{ isTorture: boolean }} options with the full counts of the chaos and fuzz tests
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runUnitTests(root, { isTorture }) {
  /** @type {Record<string, string>} */
  const env = isTorture ? { WHARF_TORTURE: '1' } : {};
  const minutes = isTorture ? 90 : 25;
  return runBunTest(root, { name: 'bun test', report: 'unit', env, minutes });
}

/**
 * Runs the tests of whole servers once more, each server with its rows in PostgreSQL and, where Ceph is
 * installed, its objects in S3.
 * @param {string} root the project's folder
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runPostgresTests(root) {
  const name = 'on PostgreSQL';
  if (!hasPostgresql()) {
    return { passed: 0, failed: [], skipped: [`${name}: the tests of whole servers`], shaky: [] };
  }
  /** @type {Record<string, string>} */
  const env = { WHARF_TEST_ENGINE: 'postgres' };
  if (hasCeph()) env.WHARF_TEST_STORAGE = 's3';
  const files = postgresTests(root);
  const tally = await runBunTest(root, { name, report: 'postgres', files, env, minutes: 15 });
  const named = (/** @type {string[]} */ names) => names.map((one) => `${name}: ${one}`);
  const { failed, skipped, shaky } = tally;
  return { ...tally, failed: named(failed), skipped: named(skipped), shaky: named(shaky) };
}

/**
 * @param {string} root
 * @param {{ name: string, report: string, files?: string[], env: Record<string, string>, minutes: number }} step
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
async function runBunTest(root, { name, report, files = [], env, minutes }) {
  const file = join(root, 'test-results', `${report}.xml`);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  const reporter = ['--reporter=junit', `--reporter-outfile=${file}`];
  // On two busy cores a test may run out of patience. Who needed it is named at the end.
  const options = ['--retry=1', `--timeout=${PATIENCE}`, ...reporter];
  const outcome = await runStep([bunPath(root), 'test', ...options, ...files], {
    cwd: root,
    env: { NODE_ENV: 'test', ...env },
    timeLimit: minutes * MINUTE,
    isQuiet: false,
  });
  const tally = judge(name, outcome, readReport(file));
  return { ...tally, shaky: triedAgain(outcome.output) };
}

/**
 * The names of tests that passed at another try, which Bun's report leaves out.
 * @param {string} output
 */
export function triedAgain(output) {
  return [...output.matchAll(/^\(pass\) (.*) \(attempt \d+\)/gm)].map(([, name = '']) => name);
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
 * Counts the cases of a JUnit report as Bun writes it. Names come as `file: describe > test`.
 * @param {string} xml
 * @returns {import('./tally.mjs').Tally}
 */
export function parseJunit(xml) {
  /** @type {import('./tally.mjs').Tally} */
  const tally = { passed: 0, failed: [], skipped: [], shaky: [] };
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

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

const TIME_LIMIT = 30 * 60_000;
const REPORT = 'test-results/browser.json';

/**
 * Runs Playwright's tests.
 * @param {string} root the project's folder
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runBrowserTests(root) {
  const report = join(root, REPORT);
  rmSync(report, { force: true });
  const outcome = await runStep([join(root, 'node_modules/.bin/playwright'), 'test'], {
    cwd: root,
    timeLimit: TIME_LIMIT,
    isQuiet: false,
  });
  return judge('playwright', outcome, readReport(report));
}

/** @param {string} file */
function readReport(file) {
  try {
    return parseReport(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Counts the tests of Playwright's JSON report. One that failed first and then passed has passed, and is
 * named.
 * @param {{ suites: Suite[] }} report
 * @typedef {{ title: string, suites?: Suite[], specs: { title: string, tests: { status: string }[] }[] }} Suite
 * @returns {import('./tally.mjs').Tally}
 */
export function parseReport(report) {
  /** @type {import('./tally.mjs').Tally} */
  const tally = { passed: 0, failed: [], skipped: [], shaky: [] };
  /** @param {Suite} suite @param {string[]} way */
  const visit = (suite, way) => {
    const here = [...way, suite.title];
    for (const { title, tests } of suite.specs) {
      const name = [...here, title].join(' > ');
      for (const { status } of tests) {
        if (status === 'expected' || status === 'flaky') tally.passed += 1;
        else tally[status === 'skipped' ? 'skipped' : 'failed'].push(name);
        if (status === 'flaky') tally.shaky.push(name);
      }
    }
    for (const one of suite.suites ?? []) visit(one, here);
  };
  for (const suite of report.suites) visit(suite, []);
  return tally;
}

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './step.mjs';
import { judge } from './tally.mjs';

/**
 * Runs the browser tests of one file by Playwright.
 * @param {string} root the project's folder
 * @param {string} file its path in there
 * @returns {Promise<import('./pool.mjs').Result>}
 */
export async function runBrowserFile(root, file) {
  const folder = join(root, 'test-results', file.replaceAll(/[^\w.-]+/g, '_'));
  const report = `${folder}.json`;
  rmSync(report, { force: true });
  // Other files are tested at the same time, and each run empties its folder at its start.
  const options = ['--reporter=list,json', `--output=${folder}`];
  const command = [join(root, 'node_modules/.bin/playwright'), 'test', ...options, file];
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report };
  const outcome = await runStep(command, { cwd: root, env });
  const tally = judge(file, outcome, readReport(report));
  return { tally, output: tally.failed.length > 0 ? failuresOf(outcome.output) : '' };
}

/**
 * What Playwright's list reporter has printed about the tests that failed: it numbers them at its end.
 * @param {string} output
 */
export function failuresOf(output) {
  const start = output.search(/^ {2}1\) /m);
  return (start < 0 ? output : output.slice(start)).trim();
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
 * Counts the tests of Playwright's JSON report.
 * @param {{ suites: Suite[] }} report
 * @typedef {{ title: string, suites?: Suite[], specs: { title: string, tests: { status: string }[] }[] }} Suite
 * @returns {import('./tally.mjs').Tally}
 */
export function parseReport(report) {
  /** @type {import('./tally.mjs').Tally} */
  const tally = { passed: 0, failed: [], skipped: [] };
  /** @param {Suite} suite @param {string[]} way */
  const visit = (suite, way) => {
    const here = [...way, suite.title];
    for (const { title, tests } of suite.specs) {
      const name = [...here, title].join(' > ');
      for (const { status } of tests) {
        if (status === 'expected') tally.passed += 1;
        else tally[status === 'skipped' ? 'skipped' : 'failed'].push(name);
      }
    }
    for (const one of suite.suites ?? []) visit(one, here);
  };
  for (const suite of report.suites) visit(suite, []);
  return tally;
}

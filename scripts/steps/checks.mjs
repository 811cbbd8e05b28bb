import { join } from 'node:path';
import { bunPath } from '../setup/bun.mjs';
import { runStep } from './step.mjs';

/**
 * Format and lint, types, import rules: one line each, and what is wrong under it.
 * @param {string} root the project's folder
 * @returns {Promise<string[]>} names of the checks that failed
 */
export async function runChecks(root) {
  const tool = (/** @type {string} */ name) => join(root, 'node_modules/.bin', name);
  const checks = {
    'format and lint': [tool('biome'), 'check', '--error-on-warnings', '.'],
    types: [tool('tsc')],
    'import rules': [bunPath(root), 'scripts/imports/main.ts'],
  };
  const failed = [];
  for (const [name, command] of Object.entries(checks)) {
    const outcome = await runStep(command, { cwd: root });
    const passed = outcome.status === 0 && !outcome.fault;
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${Math.round(outcome.ms)} ms)`);
    if (passed) continue;
    failed.push(name);
    console.log([outcome.output.trimEnd(), outcome.fault].filter(Boolean).join('\n'));
  }
  return failed;
}

/** How many checks there are: each counts as one test. */
export const CHECK_COUNT = 3;

import { join } from 'node:path';
import { bunPath } from '../setup/bun.mjs';
import { runStep } from './step.mjs';

/** With what it knows of the last run, the compiler takes 2 s of processor time instead of 8 s. */
const TSC_CACHE = [
  '--incremental',
  '--tsBuildInfoFile',
  'node_modules/.cache/tsconfig.tsbuildinfo',
];

/**
 * Returns a job each for format and lint, types, import rules, comments and the list of routes. Each counts as one
 * test.
 * @param {string} root the project's folder
 * @param {{ isAlone: boolean }} options whether nothing else needs the processor. The compiler's threads
 *   check shared types more than once: it takes 8 s of processor time with one and 13 s with all.
 * @returns {import('./pool.mjs').Job[]}
 */
export function checkJobs(root, { isAlone }) {
  const tool = (/** @type {string} */ name) => join(root, 'node_modules/.bin', name);
  const checks = {
    types: [tool('tsc'), ...TSC_CACHE, ...(isAlone ? [] : ['--singleThreaded'])],
    'format and lint': [tool('biome'), 'check', '--error-on-warnings', '.'],
    'import rules': [bunPath(root), 'scripts/imports/main.ts'],
    comments: [bunPath(root), 'scripts/lint/param-names.ts'],
    routes: [bunPath(root), 'scripts/routes.ts'],
  };
  return Object.entries(checks).map(([name, command]) => ({
    name,
    async run() {
      const { status, fault, output } = await runStep(command, { cwd: root });
      if (status === 0 && !fault) {
        return { tally: { passed: 1, failed: [], skipped: [] }, output: '' };
      }
      return {
        tally: { passed: 0, failed: [name], skipped: [] },
        output: [output.trimEnd(), fault].filter(Boolean).join('\n'),
      };
    },
  }));
}

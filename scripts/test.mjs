import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAssets, buildProgram } from './setup/build.mjs';
import { installDependencies } from './setup/bun.mjs';
import { ensureCaddy } from './setup/caddy.mjs';
import { ensureCeph } from './setup/ceph.mjs';
import { ensureChromium } from './setup/chromium.mjs';
import { ensureFfmpeg } from './setup/ffmpeg.mjs';
import { ensureNginx } from './setup/nginx.mjs';
import { ensurePostgresql } from './setup/postgresql.mjs';
import { Problem } from './setup/problem.mjs';
import { runBrowserTests } from './steps/browser-tests.mjs';
import { CHECK_COUNT, runChecks } from './steps/checks.mjs';
import { inLanes, laneCount } from './steps/lanes.mjs';
import { endRunningSteps } from './steps/step.mjs';
import { sum, summaryLine } from './steps/tally.mjs';
import { runPostgresTests, runUnitTests } from './steps/unit-tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    torture: { type: 'boolean', default: false },
    source: { type: 'boolean', default: false },
  },
});

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    endRunningSteps();
    process.exit(130);
  });
}

const tally = sum(await runEverything());
for (const name of tally.skipped) console.log(`skipped: ${name}`);
for (const name of tally.shaky) console.log(`passed only when tried again: ${name}`);
for (const name of tally.failed) console.log(`FAILED: ${name}`);
console.log(summaryLine(tally));
process.exitCode = tally.failed.length > 0 ? 1 : 0;

/** @returns {Promise<import('./steps/tally.mjs').Tally[]>} */
async function runEverything() {
  try {
    installDependencies(root);
    ensureFfmpeg();
    ensureChromium(root);
    ensurePostgresql();
    ensureNginx();
    ensureCaddy();
    ensureCeph();
    buildAssets(root);
    if (values.source) delete process.env.WHARF_PROGRAM;
    else process.env.WHARF_PROGRAM = buildProgram(root);
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    return [{ passed: 0, failed: ['set-up'], skipped: [], shaky: [] }];
  }
  const failed = await runChecks(root);
  const checked = { passed: CHECK_COUNT - failed.length, failed, skipped: [], shaky: [] };
  // The longest first, so that no lane is long at work alone.
  const steps = {
    'in the browser': () => runBrowserTests(root),
    'of modules and over HTTP': () => runUnitTests(root, { isTorture: values.torture }),
    'on PostgreSQL': () => runPostgresTests(root),
  };
  return [checked, ...(await inLanes(steps, { lanes: laneCount(), say: console.log }))];
}

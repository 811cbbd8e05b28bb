import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAssets, buildProgram, installDependencies } from './setup/bun.mjs';
import { ensureTestPrograms } from './setup/ensure-test-programs.mjs';
import { Problem } from './setup/problem.mjs';
import { checkJobs } from './steps/checks.mjs';
import { findJobs } from './steps/jobs.mjs';
import { runJobs, slowestLines } from './steps/pool.mjs';
import { startSharedServers } from './steps/shared-servers.mjs';
import { endRunningSteps } from './steps/step.mjs';
import { sum, summaryLine } from './steps/tally.mjs';

const HELP = `Usage: npm test [-- [WORD…] [--source] [--torture]]

  WORD       run only the test files whose path holds one of these words
  --source   run the sources where tests start the program, without building the file
  --torture  run the crash, chaos and fuzz tests at full length
`;
const SLOWEST = 10;
/** Tests wait for servers and encoders, so two jobs more than there are cores keep all of them busy. */
const CONCURRENCY = availableParallelism() + 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = readArguments();

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    endRunningSteps();
    process.exit(130);
  });
}

const tally = await runEverything();
for (const name of tally.skipped) console.log(`skipped: ${name}`);
for (const name of tally.failed) console.log(`FAILED: ${name}`);
console.log(summaryLine(tally));
process.exitCode = tally.failed.length > 0 ? 1 : 0;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        torture: { type: 'boolean', default: false },
        source: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    process.exit(2);
  }
}

/** @returns {Promise<import('./steps/tally.mjs').Tally>} */
async function runEverything() {
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  let setUpResult;
  try {
    setUpResult = await setUp();
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    return { passed: 0, failed: ['set-up'], skipped: [] };
  }
  const { missing, servers } = setUpResult;
  const env = { ...servers.env, ...(values.torture && { WHARF_TORTURE: '1' }) };
  try {
    const { jobs, skipped } = findJobs(root, positionals, {
      env,
      hasChromium: !missing.includes('Chromium'),
      concurrency: CONCURRENCY,
    });
    const checks = positionals.length > 0 ? [] : checkJobs(root, { isAlone: false });
    const done = await runJobs([...checks, ...jobs], {
      concurrency: CONCURRENCY,
      print: console.log,
    });
    if (done.length > 0) console.log(`\nThe slowest:\n${slowestLines(done, SLOWEST).join('\n')}\n`);
    const unknown = jobs.length + skipped.length > 0 ? [] : [`no test file matches ${positionals}`];
    return sum([...done.map((one) => one.tally), { passed: 0, failed: unknown, skipped }]);
  } finally {
    await servers.stop();
  }
}

/**
 * Installs and builds what tests need, and starts the servers that they share, which takes as long as the
 * builds and mostly waits. `missing` has the names of the programs that are missing.
 */
async function setUp() {
  installDependencies(root);
  const { missing } = await ensureTestPrograms(root);
  const starting = startSharedServers(root);
  try {
    buildAssets(root);
    if (values.source) delete process.env.WHARF_PROGRAM;
    else process.env.WHARF_PROGRAM = buildProgram(root);
  } catch (error) {
    await starting.then(({ stop }) => stop()).catch(() => {});
    throw error;
  }
  return { missing, servers: await starting };
}

import { fileURLToPath } from 'node:url';
import { buildAssets, installDependencies } from './setup/bun.mjs';
import { runProgram } from './setup/problem.mjs';
import { checkJobs } from './steps/checks.mjs';
import { runJobs } from './steps/pool.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(async () => {
  installDependencies(root);
  // The list of routes is read from the server, which needs its pages.
  buildAssets(root);
  const done = await runJobs(checkJobs(root, { isAlone: true }), {
    concurrency: 2,
    print: console.log,
  });
  if (done.some(({ tally }) => tally.failed.length > 0)) process.exitCode = 1;
});

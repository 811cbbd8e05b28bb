import { fileURLToPath } from 'node:url';
import { installDependencies } from './setup/bun.mjs';
import { runProgram } from './setup/problem.mjs';
import { runChecks } from './steps/checks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(async () => {
  installDependencies(root);
  const failed = await runChecks(root);
  if (failed.length > 0) process.exitCode = 1;
});

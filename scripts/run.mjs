import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bunPath, installDependencies } from './setup/bun.mjs';
import { runProgram } from './setup/problem.mjs';

/*
 * `node scripts/run.mjs SCRIPT [ARGUMENT…]` installs the dependencies and runs a script with the pinned
 * Bun. It needs only Node and npm, and no ffmpeg, because an image is built in a container without it.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(() => {
  installDependencies(root);
  const result = spawnSync(bunPath(root), process.argv.slice(2), { cwd: root, stdio: 'inherit' });
  process.exitCode = result.status ?? 1;
});

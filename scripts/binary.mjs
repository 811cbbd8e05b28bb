import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bunPath, installDependencies } from './setup/bun.mjs';
import { Problem, runProgram } from './setup/problem.mjs';

/** `npm run build`: what it takes is Node and npm, and no ffmpeg. */
const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(() => {
  installDependencies(root);
  const parameters = ['scripts/binary.ts', ...process.argv.slice(2)];
  const result = spawnSync(bunPath(root), parameters, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0)
    throw new Problem('the program could not be built; see the output above');
});

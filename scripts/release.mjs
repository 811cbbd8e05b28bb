import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bunPath, installDependencies } from './setup/bun.mjs';
import { runProgram } from './setup/problem.mjs';

/** `npm run release`: see RELEASING.md. */
const root = fileURLToPath(new URL('..', import.meta.url));

await runProgram(() => {
  installDependencies(root);
  const parameters = ['scripts/release.ts', ...process.argv.slice(2)];
  const result = spawnSync(bunPath(root), parameters, { cwd: root, stdio: 'inherit' });
  process.exitCode = result.status ?? 1;
});

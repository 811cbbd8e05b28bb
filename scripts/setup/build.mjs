import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bunPath } from './bun.mjs';
import { Problem } from './problem.mjs';

/**
 * Builds islands and styles where they changed; `scripts/build.ts` decides. Throws Problem with
 * the build's own words above it.
 * @param {string} root the project's folder
 */
export function buildAssets(root) {
  const result = spawnSync(bunPath(root), ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) throw new Problem('the pages could not be built; see the output above');
}

/**
 * Builds the one file that people install, of what it is made of now. Throws Problem with the build's
 * own words above it.
 * @param {string} root the project's folder
 * @returns {string} its path
 */
export function buildProgram(root) {
  const result = spawnSync(bunPath(root), ['scripts/binary.ts'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0)
    throw new Problem('the program could not be built; see the output above');
  return join(root, 'dist/wharf');
}

import { spawnSync } from 'node:child_process';
import { bunPath } from './bun.mjs';
import { Problem } from './problem.mjs';

/**
 * Builds islands and styles where they changed; `scripts/build.ts` decides. Throws Problem with
 * the build's own words above it.
 * @param {string} root the project's folder
 */
export function buildAssets(root) {
  const result = spawnSync(bunPath(root), ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) throw new Problem('the pages could not be built: see above');
}

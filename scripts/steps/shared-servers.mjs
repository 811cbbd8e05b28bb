import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bunPath } from '../setup/bun.mjs';

/**
 * Starts the PostgreSQL and S3 servers that all test files share.
 * @param {string} root the project's folder
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} `env` tells tests
 *   where the servers are. They also end when this process ends, even if it is killed. Rejects if one is
 *   installed but does not start.
 */
export async function startSharedServers(root) {
  const child = spawn(bunPath(root), ['scripts/steps/serve-shared.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl+C signals the whole process group, but tests that are being stopped still use the servers.
    detached: true,
  });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const line = await Promise.race([
    new Promise((resolve) => createInterface(child.stdout).once('line', resolve)),
    exit.then(() => null),
  ]);
  if (line === null) throw new Error('PostgreSQL or Ceph did not start; see the output above.');
  return {
    env: JSON.parse(line),
    async stop() {
      child.stdin.end();
      await exit;
    },
  };
}

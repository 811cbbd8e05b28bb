import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bunPath } from '../setup/bun.mjs';

/**
 * Starts the servers that test files share.
 * @param {string} root the project's folder
 * @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} `env` is what tests find
 * them by. They end with this process too, however it ends. Rejects where one is installed and does not start.
 */
export async function startSharedServers(root) {
  const child = spawn(bunPath(root), ['scripts/steps/serve-shared.ts'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    // A signal to the group of this process is for us to answer: tests still use the servers.
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

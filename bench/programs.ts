import { installCommand, thisMachine } from '../scripts/setup/debian.mjs';
import { findServer } from '../scripts/setup/programs.mjs';
import { atExit } from '../tests/support/server/at-exit.ts';

/** The programs that the benchmark uses, with Debian's package of each. */
const PACKAGES = {
  nginx: 'nginx',
  wrk: 'wrk',
  taskset: 'util-linux',
  curl: 'curl',
  chromium: 'chromium',
};
type Name = keyof typeof PACKAGES;

/**
 * Returns the paths of programs by name. Installs nothing, because Debian's nginx would start a server of
 * its own. Throws with one line that names everything missing and the command that installs it.
 */
export function findPrograms<Wanted extends Name>(
  names: readonly Wanted[],
): Record<Wanted, string> {
  const servers = names.map((name) => [name, findServer(name)] as const);
  const missing = servers.flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) {
    const packages = missing.map((name) => PACKAGES[name]);
    const command = installCommand(packages, thisMachine());
    throw new Error(`It needs ${missing.join(', ')}. To install: ${command}`);
  }
  return Object.fromEntries(servers) as Record<Wanted, string>;
}

export type Peer = { url: string; pid: number; stop: () => Promise<void> };

const START_TIMEOUT_MS = 60_000;

/**
 * Starts a server that is compared with Wharf, and waits until it answers at `url`. Its standard error is
 * shown. Throws when it does not start.
 */
export async function startPeer(url: string, command: string[]): Promise<Peer> {
  const child = Bun.spawn(command, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const forget = atExit(() => child.kill());
  const stop = async () => {
    forget();
    child.kill();
    await child.exited;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReachable(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} did not start.`);
    }
    await Bun.sleep(20);
  }
  return { url, pid: child.pid, stop };
}

const isReachable = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

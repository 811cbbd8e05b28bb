import { installCommand, thisMachine } from '../scripts/setup/debian.mjs';
import { findServer } from '../scripts/setup/programs.mjs';

/** What the benchmark runs beside ours, with Debian's package of each. */
const PACKAGES = {
  nginx: 'nginx',
  wrk: 'wrk',
  taskset: 'util-linux',
  curl: 'curl',
  chromium: 'chromium',
};
type Name = keyof typeof PACKAGES;

/**
 * Where the programs are, by name. Installs nothing, as Debian's nginx would start a server of
 * its own. Throws with one line that names all that are missing, and the command that installs them.
 */
export function findPrograms<Wanted extends Name>(
  names: readonly Wanted[],
): Record<Wanted, string> {
  const found = names.map((name) => [name, findServer(name)] as const);
  const missing = found.flatMap(([name, path]) => (path ? [] : [name]));
  if (missing.length > 0) {
    const packages = missing.map((name) => PACKAGES[name]);
    const command = installCommand(packages, thisMachine());
    throw new Error(`It needs ${missing.join(', ')}. To install: ${command}`);
  }
  return Object.fromEntries(found) as Record<Wanted, string>;
}

export type Peer = { url: string; pid: number; stop: () => Promise<void> };

const START_TIMEOUT_MS = 60_000;

/** Starts a server to be measured beside ours, once it answers at `url`. Throws when it does not; what it writes to stderr is shown. */
export async function startPeer(url: string, command: string[]): Promise<Peer> {
  const child = Bun.spawn(command, {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} did not start.`);
    }
    await Bun.sleep(20);
  }
  return { url, pid: child.pid, stop };
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

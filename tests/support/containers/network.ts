import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../../scripts/setup/programs.mjs';

const SCRIPT = join(import.meta.dir, 'network.sh');
const PROGRAMS = ['ip', 'mount', 'nsenter', 'pivot_root', 'setpriv', 'unshare'];
/** The addresses that RFC 2544 sets aside for tests of networks: 198.18.0.0/15. */
const SUBNETS = 512;
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type Network = {
  /** This machine's own address in it. */
  host: string;
  /** The address of a name. */
  address(name: string): string;
  /** A file of a name's network namespace, for `nsenter --net`. */
  namespace(name: string): string;
  stop(): Promise<void>;
};

/**
 * Why containers can't be run on this machine; null where they can. The word of the kernel is asked for by a
 * trial of all that is needed, as nothing else tells what a container around us permits.
 */
export function lackForContainers(): string | null {
  const missing = PROGRAMS.filter((name) => !findServer(name));
  if (missing.length > 0) return missing.join(', ');
  const trial = `mount --make-rprivate / && mount -t tmpfs tmpfs /run && mkdir /run/a /run/b /run/c &&
    mount -t overlay -o lowerdir=/,upperdir=/run/a,workdir=/run/b overlay /run/c && mount -t proc proc /run/c/proc &&
    ip link add bridge type bridge && ip netns add one && ip link add outer type veth peer name inner netns one`;
  const { success } = Bun.spawnSync(
    ['unshare', '--mount', '--net', '--ipc', '--pid', '--fork', 'sh', '-c', trial],
    { env: { PATH }, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  return success ? null : 'the right to make namespaces and mounts';
}

/**
 * A network with a namespace for each of `names`, all of which this machine reaches. It is gone with this
 * process, however that ends: its namespaces are held by a process that ends with its input.
 */
export async function startNetwork(names: string[]): Promise<Network> {
  const prefix = freePrefix();
  const outside = `wharf-${process.pid}`;
  const holder = Bun.spawn(
    ['unshare', '--mount', '--net', 'sh', SCRIPT, prefix, outside, String(process.pid), ...names],
    { env: { PATH }, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
  );
  holder.unref();
  const { value } = await holder.stdout.getReader().read();
  if (!value) throw new Error(`no network:\n${await new Response(holder.stderr).text()}`);
  ip('address', 'add', `${prefix}.1/24`, 'dev', outside);
  ip('link', 'set', outside, 'up');
  return {
    host: `${prefix}.1`,
    address: (name) => `${prefix}.${names.indexOf(name) + 2}`,
    namespace: (name) => `/proc/${holder.pid}/root/run/netns/${name}`,
    async stop() {
      // The kernel takes its time over namespaces that nobody is in any more, and the name is to be free.
      ip('link', 'delete', outside);
      holder.stdin.end();
      await holder.exited;
    },
  };
}

function freePrefix(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address));
  for (let i = 0; i < SUBNETS; i += 1) {
    const number = (process.pid + i) % SUBNETS;
    const prefix = `198.${18 + (number >> 8)}.${number & 255}`;
    if (!taken.includes(`${prefix}.1`)) return prefix;
  }
  throw new Error('All addresses for tests of networks are taken.');
}

function ip(...parameters: string[]) {
  const done = Bun.spawnSync(['ip', ...parameters], { env: { PATH } });
  if (!done.success) throw new Error(`ip ${parameters.join(' ')}: ${done.stderr}`);
}

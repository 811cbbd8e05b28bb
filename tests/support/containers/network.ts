import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../../scripts/setup/programs.mjs';

const SCRIPT = join(import.meta.dir, 'network.sh');
const PROGRAMS = ['ip', 'mount', 'nsenter', 'pivot_root', 'setpriv', 'unshare'];
/** The number of subnets in 198.18.0.0/15, which RFC 2544 reserves for network tests. */
const SUBNETS = 512;
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type Network = {
  /** The address of this machine in the network. */
  host: string;
  /** Returns the address of a name. */
  address(name: string): string;
  /** Returns the file of a name's network namespace, for `nsenter --net`. */
  namespace(name: string): string;
  stop(): Promise<void>;
};

/**
 * Returns why containers can't run on this machine, or null if they can. It tries everything that is
 * needed, because nothing else tells what an outer container permits.
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
 * Starts a network with a namespace for each of `names`, all reachable from this machine. It ends with
 * this process, even if that is killed, because a process that ends with its input holds the namespaces.
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
      // The kernel deletes unused namespaces late, but the name of the link must be free.
      ip('link', 'delete', outside);
      holder.stdin.end();
      await holder.exited;
    },
  };
}

function freePrefix(): string {
  const usedAddresses = Object.values(networkInterfaces()).flatMap((all) =>
    all?.map((one) => one.address),
  );
  for (let i = 0; i < SUBNETS; i += 1) {
    const number = (process.pid + i) % SUBNETS;
    const prefix = `198.${18 + (number >> 8)}.${number & 255}`;
    if (!usedAddresses.includes(`${prefix}.1`)) return prefix;
  }
  throw new Error('All addresses for tests of networks are taken.');
}

function ip(...parameters: string[]) {
  const done = Bun.spawnSync(['ip', ...parameters], { env: { PATH } });
  if (!done.success) throw new Error(`ip ${parameters.join(' ')}: ${done.stderr}`);
}

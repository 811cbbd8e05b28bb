import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../client/wait.ts';
import { PATH } from './network.ts';

const SCRIPT = join(import.meta.dir, 'container.sh');
const KILL_TIMEOUT_SECONDS = 30;
/** The kernel clears the death signal on a change of user, so process 1 sets it again if not root. */
export const DYING_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'];

export type ContainerOptions = {
  name: string;
  /** The folder of its log and its mounts. */
  folder: string;
  /** The file of its network namespace. */
  namespace: string;
  /** Mounts as `FROM:TO`, `FROM:TO:ro` or `tmpfs:TO`. */
  mounts: string[];
  isReadOnly: boolean;
  hasInit: boolean;
  workdir: string;
  /** The command prefix that changes to its user and drops privileges. */
  privileges: string[];
  command: string[];
  environment: Record<string, string>;
};

export type Container = Awaited<ReturnType<typeof createContainer>>;

/**
 * Returns a container that is not running yet. Once started, it ends with this process, even if that is
 * killed: the kernel kills `unshare` with its parent, process 1 of the container with `unshare`, and all
 * other processes with process 1.
 */
export async function createContainer(options: ContainerOptions) {
  const { name, namespace, privileges, environment } = options;
  const stage = join(options.folder, `${name}-stage`);
  const logFile = join(options.folder, `${name}.log`);
  await mkdir(stage);
  let child: Bun.Subprocess | undefined;

  const isRunning = () => child !== undefined && child.exitCode === null && !child.signalCode;

  const childOf = (parent: number | undefined) =>
    until(async () => {
      if (!isRunning()) throw new Error(`${name} does not run:\n${await log()}`);
      return Number(await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')) || undefined;
    });
  const processOne = () => childOf(child?.pid);
  const log = () => readFile(logFile, 'utf8');

  return {
    name,
    log,
    isRunning,

    /** Returns the id on this machine of the process that process 1 forwards signals to. */
    pid: async () => childOf(await processOne()),

    start() {
      const { isReadOnly, hasInit, workdir, mounts, command } = options;
      const how = [isReadOnly ? 'ro' : 'rw', hasInit ? 'init' : 'exec', workdir];
      const first = hasInit ? [] : DYING_WITH_PARENT;
      const file = openSync(logFile, 'a');
      child = Bun.spawn(
        [
          ...DYING_WITH_PARENT,
          ...['nsenter', `--net=${namespace}`],
          ...['unshare', '--mount', '--pid', '--ipc', '--fork', '--kill-child'],
          ...['sh', SCRIPT, stage, ...how, ...mounts, '--', ...privileges, ...first, ...command],
        ],
        { env: { PATH, ...environment }, stdio: ['ignore', file, file] },
      );
      closeSync(file);
      child.unref();
    },

    /** Sends a signal to process 1. Resolves with its exit code or the signal that ended it. */
    async end(signal: NodeJS.Signals, seconds = KILL_TIMEOUT_SECONDS) {
      process.kill(await processOne(), signal);
      const timer = setTimeout(() => child?.kill('SIGKILL'), seconds * 1000);
      await child?.exited;
      clearTimeout(timer);
      return child?.exitCode ?? child?.signalCode;
    },

    /** Runs a command in the container as its user. */
    async run(...command: string[]) {
      const inside = [
        'nsenter',
        '--target',
        String(await processOne()),
        '--all',
        `--wdns=${options.workdir}`,
      ];
      const one = Bun.spawn([...inside, '--', ...privileges, ...command], {
        env: { PATH, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, status] = await Promise.all([
        new Response(one.stdout).text(),
        new Response(one.stderr).text(),
        one.exited,
      ]);
      return { status, stdout, stderr };
    },
  };
}

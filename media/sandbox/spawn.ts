import { MIB } from '../../server/contract/limits.ts';

/*
 * Every process of server and media is started here, so that one file shows what each of them gets: its
 * environment, its standard streams and what ends it.
 */

/** Where programs are when the environment does not say. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The environment of tools, which contains no secret. glibc reserves 64 MiB of address space for each
 * arena, which would use up the memory limit on many cores.
 */
const TOOL_ENVIRONMENT = { PATH: SYSTEM_PATH, MALLOC_ARENA_MAX: '4' };

/**
 * Starts a tool on an untrusted file, without standard input and without our environment.
 * @param command already confined; see confine.ts
 */
export function spawnTool(command: string[], cwd: string) {
  return Bun.spawn(command, {
    cwd,
    env: { ...TOOL_ENVIRONMENT, TMPDIR: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * Starts one of our own programs, which exchanges JSON with this process and logs to the same streams.
 * @param env its whole environment; that of this process when left out
 */
export function spawnWorker<Message>(
  command: string[],
  options: {
    env: Record<string, string | undefined> | undefined;
    onMessage: (message: Message) => void;
    onExit: () => void;
  },
): Bun.Subprocess {
  const { env, onMessage, onExit } = options;
  return Bun.spawn(command, {
    ...(env && { env }),
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'json',
    ipc: onMessage,
    onExit,
  });
}

const SILENT: ['ignore', 'ignore', 'ignore'] = ['ignore', 'ignore', 'ignore'];

/** Whether a command succeeds; blocks this process meanwhile. */
export const succeedsSync = (command: string[]): boolean =>
  Bun.spawnSync(command, { stdio: SILENT }).success;

/** Resolves with whether a command succeeds. */
export const succeeds = async (command: string[]): Promise<boolean> =>
  (await Bun.spawn(command, { stdio: SILENT }).exited) === 0;

/** Returns what a command prints, at most 1 MiB; null where it can't be started, fails or takes too long. */
export function readOutput(command: string[], timeoutMs: number): string | null {
  try {
    const { success, stdout } = Bun.spawnSync(command, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      maxBuffer: MIB,
    });
    return success ? stdout.toString() : null;
  } catch {
    return null;
  }
}

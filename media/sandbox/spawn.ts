import { MIB } from '../../server/contract/limits.ts';

/*
 * Every process of server and media is started here, so that one file shows what each of them is
 * given: its environment, its standard streams and what ends it.
 */

/** Where programs are when the environment does not say. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * What a tool may see of our environment: where programs are, nothing secret. glibc reserves
 * 64 MiB of address space for each arena, which on many cores would use up the memory limit.
 */
const TOOL_ENVIRONMENT = { PATH: SYSTEM_PATH, MALLOC_ARENA_MAX: '4' };

/**
 * Starts a tool on a stranger's file, without standard input or our environment.
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
 * Starts a program of ours that talks to this process in JSON and logs where this one does.
 * @param env its whole environment; this process' own when left out
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

/** Whether a command succeeds; this process waits for it meanwhile. */
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

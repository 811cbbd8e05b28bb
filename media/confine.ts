/** What one tool may use. */
export type Confinement = {
  /** Seconds of processor time, all threads together. */
  cpuSeconds: number;
  /** Address space in bytes. x264 at 1080p needs about 1.5 GB of it, used or not. */
  memoryBytes: number;
  /** Size of the largest file it may write. */
  fileBytes: number;
};

/** Where programs are when the environment does not say. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

const locate = (name: string) => Bun.which(name) ?? Bun.which(name, { PATH: SYSTEM_PATH });
const setpriv = locate('setpriv');
const prlimit = locate('prlimit');
const nice = locate('nice');

/** After the soft limit's SIGXCPU, which ffmpeg takes as a wish to end, comes the kernel's SIGKILL. */
const CPU_GRACE_SECONDS = 10;
const NICENESS = '10';

/**
 * Wraps a command so that it dies with the process that started it, even at kill -9 (a plain
 * child would go on encoding for nobody).
 */
export function dieWithParent(command: string[]): string[] {
  return setpriv ? [setpriv, '--pdeathsig', 'KILL', '--', ...command] : command;
}

/**
 * Wraps a tool's command in its limits and a low priority. Each wrapper replaces itself by the
 * next, so the process id stays the tool's. Where the system has no such wrapper (macOS), the
 * tool runs without it: the time limit of `runTool` remains.
 */
export function confine(command: string[], limits: Confinement): string[] {
  const [program = '', ...rest] = command;
  const cpu = Math.ceil(limits.cpuSeconds);
  return dieWithParent([
    ...(prlimit
      ? [
          prlimit,
          `--cpu=${cpu}:${cpu + CPU_GRACE_SECONDS}`,
          `--as=${Math.ceil(limits.memoryBytes)}`,
          `--fsize=${Math.ceil(limits.fileBytes)}`,
          '--core=0',
          '--',
        ]
      : []),
    ...(nice ? [nice, '-n', NICENESS] : []),
    locate(program) ?? program,
    ...rest,
  ]);
}

import { readdir, readFile, writeFile } from 'node:fs/promises';

/** The unit of times in /proc, which is the same on all architectures that Wharf is built for. */
const TICK_MS = 10;

/** Returns the peak memory of a process in MiB: the kernel's own high-water mark, which misses no peak. */
export const peakMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmHWM');

/** Lets the peak memory of a process begin at what it has now; see proc_pid_clear_refs(5). */
export const resetPeakMemory = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5');

/** Returns the resident memory of a process in MiB. */
export const residentMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmRSS');

async function memoryOf(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/**
 * Returns the milliseconds of processor time that a process has used with its descendants, also with those
 * that have ended. Time that other work takes from it does not count, so this is steady on a busy machine.
 */
export async function processorTimeOf(pid: number): Promise<number> {
  return sumOf([pid, ...(await descendantsOf(pid))], async (one) =>
    parseProcessorTime(await readFile(`/proc/${one}/stat`, 'utf8')),
  );
}

/** Parses the milliseconds of a process and of its children that ended, from the text of /proc/PID/stat. */
export function parseProcessorTime(stat: string): number {
  // utime, stime, cutime and cstime are the fields 14 to 17 of proc(5), and the state is the third.
  const ticks = fieldsOf(stat).slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

/** Returns the children of a process, their children, and so on. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  const childrenOf = (parent: number): number[] =>
    pids
      .filter((_, index) => parents[index] === parent)
      .flatMap((one) => [one, ...childrenOf(one)]);
  return childrenOf(pid);
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(fieldsOf(stat)[1]);
}

/** Returns the fields after the name of the program, which may contain spaces and brackets. */
const fieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Adds up what a measure gives for some processes, of which some may have ended. */
export async function sumOf(
  pids: number[],
  measure: (pid: number) => Promise<number>,
): Promise<number> {
  const values = await Promise.all(pids.map((pid) => measure(pid).catch(() => 0)));
  return values.reduce((sum, one) => sum + one, 0);
}

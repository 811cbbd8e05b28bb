import { readdir, readFile } from 'node:fs/promises';
import { MIB } from '../../server/contract/limits.ts';

export type Sample = {
  /** Resident memory in MiB: of the server, and of its media process with its children. */
  memory: number;
  mediaMemory: number;
  openFiles: number;
  /** MiB below DATA_DIR. */
  disk: number;
};

/** Measures what a running server uses at this moment. */
export async function sampleOf(pid: number, dataDir: string): Promise<Sample> {
  return {
    memory: await residentMemory(pid),
    mediaMemory: await sumOf(await mediaProcessesOf(pid), residentMemory),
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    disk: diskOf(dataDir),
  };
}

/** `du` complains about files that are removed meanwhile, which does not matter. */
function diskOf(folder: string): number {
  const { stdout } = Bun.spawnSync(['du', '-s', '--block-size=1', folder], { stderr: 'ignore' });
  return Number.parseInt(stdout.toString(), 10) / MIB;
}

/** Returns the peak memory of a process in MiB: the kernel's own high-water mark, which misses no peak. */
export const peakMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmHWM');

/** Returns the resident memory of a process in MiB. */
export const residentMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmRSS');

async function memoryOf(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** Returns the media process of a server and its children; none before the first job. */
export async function mediaProcessesOf(server: number): Promise<number[]> {
  const children = await childrenOf(server);
  return [...children, ...(await Promise.all(children.map(childrenOf))).flat()];
}

async function childrenOf(parent: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(processes.map(parentOf));
  return processes.filter((_, index) => parents[index] === parent).map(Number);
}

async function parentOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]);
}

/** Adds up what a measure gives for some processes, of which some may have ended. */
export async function sumOf(
  pids: number[],
  measure: (pid: number) => Promise<number>,
): Promise<number> {
  const values = await Promise.all(pids.map((pid) => measure(pid).catch(() => 0)));
  return values.reduce((sum, one) => sum + one, 0);
}

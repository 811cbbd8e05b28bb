import { readdir, readFile } from 'node:fs/promises';
import { MIB } from '../../server/contract/limits.ts';

export type Sample = {
  /** Resident memory in MiB: of the server, and of its media process where there is one. */
  memory: number;
  mediaMemory: number;
  openFiles: number;
  /** MiB below DATA_DIR. */
  disk: number;
};

/** Measures what a running server uses at this moment. */
export async function sampleOf(pid: number, dataDir: string): Promise<Sample> {
  const media = await childOf(pid).catch(() => 0);
  return {
    memory: await residentMemory(pid),
    mediaMemory: media ? await residentMemory(media).catch(() => 0) : 0,
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

/** Returns the only child of a server without videos, its media process. */
export async function childOf(parent: number): Promise<number> {
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name)
      ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
      : '';
    if (Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === parent) return Number(name);
  }
  throw new Error('The server has no media process.');
}

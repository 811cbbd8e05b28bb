import { readdir, readFile } from 'node:fs/promises';
import { MIB } from '../../server/contract/limits.ts';

export type Sample = {
  /** MiB that lie in memory: of the server, and of its media process where there is one. */
  memory: number;
  mediaMemory: number;
  openFiles: number;
  /** MiB below DATA_DIR. */
  disk: number;
};

/** What a running server takes up at this moment. */
export async function sampleOf(pid: number, dataDir: string): Promise<Sample> {
  const media = await childOf(pid).catch(() => 0);
  return {
    memory: await residentMemory(pid),
    mediaMemory: media ? await residentMemory(media).catch(() => 0) : 0,
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    disk: diskOf(dataDir),
  };
}

/** By `du`, whose complaint that a file has just been removed does not matter. */
function diskOf(folder: string): number {
  const { stdout } = Bun.spawnSync(['du', '-s', '--block-size=1', folder], { stderr: 'ignore' });
  return Number.parseInt(stdout.toString(), 10) / MIB;
}

/** MiB of a process that lay in memory at most: the kernel's own high-water mark, so no peak is missed. */
export const peakMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmHWM');

/** MiB of a process that lie in memory now. */
export const residentMemory = (pid: number): Promise<number> => memoryOf(pid, 'VmRSS');

async function memoryOf(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** The only child that a server without videos has: its media process. */
export async function childOf(parent: number): Promise<number> {
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name)
      ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
      : '';
    if (Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]) === parent) return Number(name);
  }
  throw new Error('The server has no media process.');
}

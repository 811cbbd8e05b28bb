import { readdir, readFile } from 'node:fs/promises';

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

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether a process runs. A zombie, dead but not yet collected by its parent, does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** The running processes that work below a folder and were given `word`: the tools of its jobs. */
export function processesIn(folder: string, word = ''): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid))
    .filter((pid) => workingFolder(pid).startsWith(folder) && commandLine(pid).includes(word));
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until something holds. Throws after 100 s, before a test's limit of two minutes hides what was waited for. */
export async function until(what: () => boolean, ms = 100_000): Promise<void> {
  const end = performance.now() + ms;
  while (!what()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(20);
  }
}

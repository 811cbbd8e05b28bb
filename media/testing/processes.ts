import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether a process runs. A zombie, which its parent has not collected yet, does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** Returns the running processes whose working folder is below a folder and whose command contains `text`. */
export function processesIn(folder: string, text = ''): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isRunning(pid))
    .filter((pid) => workingFolder(pid).startsWith(folder) && commandLine(pid).includes(text));
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

/**
 * Watches the processes whose working folder is below a folder. Returns the function that ends this and returns
 * the most bytes of memory that one of them has had.
 */
export function peakMemory(folder: string): () => number {
  let peak = 0;
  const measure = () => {
    for (const pid of processesIn(folder)) peak = Math.max(peak, highWaterMark(pid));
  };
  const clock = setInterval(measure, 20);
  return () => {
    clearInterval(clock);
    measure();
    return peak;
  };
}

function highWaterMark(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Waits until `what` returns true. Throws after nine minutes, before the test's own limit of ten would hide
 * what it waited for. Tools have a low priority, so beside other work a video takes minutes to begin.
 */
export async function until(what: () => boolean, ms = 540_000): Promise<void> {
  const end = performance.now() + ms;
  while (!what()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(20);
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';

/** The milliseconds of a tick in /proc, which is the same on every architecture that Bun supports. */
const TICK_MS = 10;
/** Where the ticks in user mode and in the kernel are, counted from the field after the name of the program. */
const TICK_FIELDS = [11, 12];

/** The processor time that the tools of some work have had. */
export class ProcessorTime {
  /** The first and the last time that were seen of each tool which runs, in milliseconds by process id. */
  private readonly running = new Map<number, { first: number; last: number }>();
  private endedMs = 0;

  /** Milliseconds, all threads of all tools together. */
  get ms(): number {
    let ms = this.endedMs;
    for (const [pid, time] of this.running) {
      time.last = Math.max(time.last, readTime(pid));
      ms += time.last - time.first;
    }
    return ms;
  }

  /** Counts the tools that `work` starts. */
  measure<Value>(work: () => Promise<Value>): Promise<Value> {
    return current.run(this, work);
  }

  /** Counts a tool from now on, which may have done other work before. */
  started(pid: number): void {
    const first = readTime(pid);
    this.running.set(pid, { first, last: first });
  }

  /**
   * Counts a tool no more.
   * @param ms what the system says of one that has ended; left out where it goes on with other work
   */
  ended(pid: number, ms = readTime(pid)): void {
    const time = this.running.get(pid);
    this.running.delete(pid);
    if (time) this.endedMs += Math.max(ms, time.last) - time.first;
  }
}

const current = new AsyncLocalStorage<ProcessorTime>();

/** Returns what counts the tools that are started by the caller; undefined where nothing does. */
export const currentProcessorTime = (): ProcessorTime | undefined => current.getStore();

/** Returns the milliseconds of processor time that a process has had; 0 for one that is gone. */
function readTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return TICK_FIELDS.reduce((ms, field) => ms + Number(fields[field]) * TICK_MS, 0);
  } catch {
    return 0;
  }
}

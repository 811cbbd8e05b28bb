import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';

/** The milliseconds of a tick in /proc, which is the same on every architecture that Bun supports. */
const TICK_MS = 10;
/** Where the ticks in user mode and in the kernel are, counted from the field after the name of the program. */
const TICK_FIELDS = [11, 12];

/** The processor time that the tools of some work have had. */
export class ProcessorTime {
  /** The last time that was seen of each tool which runs, in milliseconds by process id. */
  private readonly running = new Map<number, number>();
  private endedMs = 0;

  /** Milliseconds, all threads of all tools together. */
  get ms(): number {
    let ms = this.endedMs;
    for (const [pid, last] of this.running) {
      const now = Math.max(last, readTime(pid));
      this.running.set(pid, now);
      ms += now;
    }
    return ms;
  }

  /** Counts the tools that `work` starts. */
  measure<Value>(work: () => Promise<Value>): Promise<Value> {
    return current.run(this, work);
  }

  started(pid: number): void {
    this.running.set(pid, 0);
  }

  /** @param ms what the system says of a tool that has ended */
  ended(pid: number, ms: number): void {
    this.endedMs += Math.max(ms, this.running.get(pid) ?? 0);
    this.running.delete(pid);
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

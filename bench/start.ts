import { readFile } from 'node:fs/promises';
import { startServerProcess } from '../tests/support/server-process.ts';
import { median } from './median.ts';

const STARTS = 5;
const SETTLE = 2_000;

/**
 * Idle memory in MiB, before any job, and milliseconds from spawn to the first healthy answer, of the
 * source or of a binary at `program`.
 */
export async function measureStart(
  program?: string,
): Promise<{ idleMemory: number; firstAnswer: number }> {
  const server = await startServerProcess(program ? { program: [program] } : {});
  try {
    const times = [server.startupTime()];
    while (times.length < STARTS) {
      await server.restart();
      times.push(server.startupTime());
    }
    await Bun.sleep(SETTLE);
    return { idleMemory: await residentMemory(server.pid()), firstAnswer: median(times) };
  } finally {
    await server.stop();
  }
}

/** MiB of a process that lie in memory. */
async function residentMemory(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

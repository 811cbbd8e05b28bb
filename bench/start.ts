import { startServerProcess } from '../tests/support/server/server-process.ts';
import { median } from './median.ts';
import { residentMemory } from './soak/memory.ts';

const STARTS = 5;
const SETTLE = 2_000;

/** Idle memory in MiB, before any job, and milliseconds from spawn to the first healthy answer. */
export async function measureStart(): Promise<{ idleMemory: number; firstAnswer: number }> {
  const server = await startServerProcess();
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

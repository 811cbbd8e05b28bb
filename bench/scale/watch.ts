import { join } from 'node:path';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';
import { residentMemory } from '../processes.ts';

export const METRICS_TOKEN = 'metrics-of-the-benchmark';
const MEMORY_INTERVAL_MS = 500;
/** A server that does not answer for minutes is still measured. */
const SCRAPE_TIMEOUT_MS = 900_000;

/** What a phase did to the server. Times are in milliseconds, memory in MiB. */
export type Watched = {
  seconds: number;
  /** The longest time for which the event loop stood still. */
  stall: number;
  /** Times of the GET of a small file, and the number of those that failed. */
  p50: number;
  p99: number;
  max: number;
  failed: number;
  memory: number;
};

/**
 * Watches a server while `work` runs, and for at least `leastMs`, and requests `url` 100 times a second.
 */
export async function watch<Result>(
  server: ServerProcess,
  url: string,
  work: () => Promise<Result>,
  leastMs: number,
): Promise<{ result: Result; watched: Watched }> {
  await longestStall(server);
  const probe = Bun.spawn([process.execPath, join(import.meta.dir, 'probe.ts'), url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let memory = 0;
  const sample = async () => {
    memory = Math.max(memory, await residentMemory(server.pid()).catch(() => 0));
  };
  const timer = setInterval(() => void sample(), MEMORY_INTERVAL_MS);
  const started = performance.now();
  try {
    const result = await work();
    const seconds = (performance.now() - started) / 1000;
    await Bun.sleep(Math.max(0, leastMs - seconds * 1000));
    await sample();
    const stall = await longestStall(server);
    probe.stdin.end();
    const times = JSON.parse(await new Response(probe.stdout).text());
    return { result, watched: { ...times, seconds, stall, memory } };
  } finally {
    clearInterval(timer);
    probe.kill();
  }
}

/** Returns the longest stall of the event loop since the last call, which the server tells by its metrics. */
async function longestStall({ url }: ServerProcess): Promise<number> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
  });
  const text = await response.text();
  const value = /^wharf_event_loop_delay_seconds\{quantile="1"\} (\S+)$/m.exec(text)?.[1];
  return Number(value ?? 0) * 1000;
}

import type { Browser, Page } from '@playwright/test';

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds on the wall, and of the thread's own CPU time. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
};

/** The longest task of a page's main thread, in ms: by the clock, and of the processor alone. */
export type LongestTask = { wall: number; cpu: number };

/**
 * What the main thread of a page does meanwhile. A machine that has other work to do makes every
 * task long by the clock; what it takes of the processor is the page's own.
 */
export async function tasksOf(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, {
    categories: ['-*', 'disabled-by-default-devtools.timeline', '__metadata'],
  });
  await work();
  const trace: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  const threads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const longest = { wall: 0, cpu: 0 };
  for (const event of trace.traceEvents) {
    if (event.name !== 'RunTask' || !threads.has(threadOf(event))) continue;
    longest.wall = Math.max(longest.wall, (event.dur ?? 0) / 1000);
    longest.cpu = Math.max(longest.cpu, (event.tdur ?? 0) / 1000);
  }
  if (longest.cpu === 0) throw new Error('The browser traced no task of the page.');
  return longest;
}

const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;

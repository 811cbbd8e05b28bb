import { type Browser, chromium, type Page } from '@playwright/test';
import { findChromium } from '../../scripts/setup/programs.mjs';
import { enter } from '../../tests/e2e/support/people.ts';
import { createBucket } from '../../tests/support/client/api.ts';
import { fileRows, insertFiles } from '../../tests/support/fixtures/file-rows.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { findPrograms } from '../programs.ts';
import type { Judge, PartOptions } from '../targets.ts';
import { measureNavigation } from './navigation.ts';

const SIZES = [
  { name: 'table, 1440 px wide', width: 1440, height: 900 },
  { name: 'cards, 390 px wide', width: 390, height: 844 },
];

/** The most milliseconds from a click on a link until the page that it opens handles events. */
const MAX_NAVIGATION_MS = 200;

/** Prints what it takes a browser to open the pages of a bucket, and to scroll through 10,000 files. */
export async function reportDashboard({ isQuick, judge }: PartOptions): Promise<void> {
  const count = isQuick ? 2000 : 10_000;
  const executablePath = findChromium() ?? findPrograms(['chromium']).chromium;
  const server = await startServerProcess();
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const context = await browser.newContext({ baseURL: server.url });
    const page = await context.newPage();
    const { token } = await enter(page, server, '/dashboard');
    const bucket = await createBucket(server, token, 'Benchmark');
    await page.setViewportSize({ width: 1440, height: 900 });
    const path = `/dashboard/bucket/${bucket.id}`;
    const ms = await measureNavigation(page, path, isQuick ? 3 : 10);
    console.log(
      `\nanother page of a bucket: ${ms.toFixed(0)} ms, ${judge(ms, { atMost: MAX_NAVIGATION_MS })}`,
    );
    await insertFiles(server.dataDir, fileRows(bucket.id, count));
    console.log(`\na bucket of ${count} files, scrolled to its end in Chromium`);
    for (const { name, ...viewport } of SIZES) {
      await page.setViewportSize(viewport);
      const path = `/dashboard/files/${bucket.id}`;
      print(name, await scrollToEnd(browser, page, path, count), judge);
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

function print(name: string, { rows, longest, seconds, requests }: Scrolling, judge: Judge) {
  const task = `${longest.cpu.toFixed(0)} ms of CPU (${longest.wall.toFixed(0)} ms by the clock)`;
  console.log(`${name}: ${seconds.toFixed(1)} s, ${requests} requests`);
  console.log(`  rows in the page at most ${rows}, ${judge(rows, { atMost: 200 })}`);
  console.log(`  longest task ${task}, ${judge(longest.cpu, { atMost: 100 })}`);
}

type Scrolling = {
  /** The most rows of the list that were in the page at once. */
  rows: number;
  longest: LongestTask;
  seconds: number;
  /** The number of requested pages. */
  requests: number;
};

const TIMEOUT_MS = 300_000;
/** Pixels that one turn of the mouse wheel scrolls. */
const WHEEL_PIXELS = 1500;

/** Opens a list of `count` rows and turns the mouse wheel until its last row is there. */
async function scrollToEnd(
  browser: Browser,
  page: Page,
  path: string,
  count: number,
): Promise<Scrolling> {
  let requests = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).searchParams.has('cursor')) requests += 1;
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.evaluate(() => {
    const state = { rows: 0 };
    Reflect.set(window, 'seen', state);
    const countRows = () => {
      state.rows = Math.max(state.rows, document.querySelectorAll('tbody tr').length);
      requestAnimationFrame(countRows);
    };
    countRows();
  });

  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height - 100);
  const last = page.locator(`[data-row="${count - 1}"]`);
  const start = performance.now();
  const longest = await tasksOf(browser, page, async () => {
    while ((await last.count()) === 0) {
      if (performance.now() - start > TIMEOUT_MS)
        throw new Error('The list did not come to its end.');
      await page.mouse.wheel(0, WHEEL_PIXELS);
    }
  });
  const seconds = (performance.now() - start) / 1000;
  await last.scrollIntoViewIfNeeded();
  const state = (await page.evaluate(() => Reflect.get(window, 'seen'))) as { rows: number };
  return { ...state, longest, seconds, requests };
}

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds of elapsed time, and of the thread's CPU time. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
};

/** The longest task of a page's main thread in milliseconds, of elapsed and of CPU time. */
type LongestTask = { wall: number; cpu: number };

/**
 * Returns the longest task of a page's main thread while `work` runs. On a busy machine every task takes
 * long by the clock; its CPU time is the page's own.
 */
async function tasksOf(
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

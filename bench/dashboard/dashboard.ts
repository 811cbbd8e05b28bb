import { chromium } from '@playwright/test';
import { findChromium } from '../../scripts/setup/chromium.mjs';
import { enter } from '../../tests/e2e/support/people.ts';
import { createBucket } from '../../tests/support/client/api.ts';
import { fileRows, insertFiles } from '../../tests/support/fixtures/file-rows.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { findPrograms } from '../media/programs.ts';
import type { Judge, PartOptions } from '../targets.ts';
import { type Scrolling, scrollToEnd } from './scrolling.ts';

const SIZES = [
  { name: 'table, 1440 px wide', width: 1440, height: 900 },
  { name: 'cards, 390 px wide', width: 390, height: 844 },
];

/** Prints what it takes a browser to scroll through a bucket of 10,000 files. */
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

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { authOf } from '../tests/e2e/support/people.ts';
import { signUp } from '../tests/support/api.ts';
import { startServerProcess } from '../tests/support/server-process.ts';
import { furnish } from './screenshots/furnish.ts';
import { type Scene, scenes } from './screenshots/scenes.ts';
import { findChromium } from './setup/chromium.mjs';

const FOLDER = join(import.meta.dir, '../screenshots');
const WIDTHS = [390, 1024, 1440];
const THEMES = ['dark', 'light'];
const OWNER = 'ana@example.com';

/** Names that are asked for on the command line; all where there is none. */
const wanted = process.argv.slice(2);

const executablePath = findChromium();
if (!executablePath) throw new Error('Screenshots need chromium: install it, then try again.');
const server = await startServerProcess({
  env: {
    ADMIN_EMAIL: OWNER,
    SOURCE_URL: 'https://source.example/',
    VIDEO_CHANNEL_URL: 'https://video.example/',
  },
});
const browser = await chromium.launch({
  executablePath,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  const session = await signUp(server, OWNER, 'a harbour at work');
  const ids = await furnish(server, session.token);
  const storage = { auth: JSON.stringify(authOf(session)) };
  const all = scenes(ids).filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  for (const width of WIDTHS) {
    for (const theme of THEMES) await take(browser, all, width, { ...storage, theme });
  }
  console.log(`${all.length * WIDTHS.length * THEMES.length} screenshots are in ${FOLDER}.`);
} finally {
  await browser.close();
  await server.stop();
}

async function take(
  within: Browser,
  all: Scene[],
  width: number,
  storage: { auth: string; theme: string },
) {
  const viewport = { width, height: width < 640 ? 844 : 900 };
  const context = await within.newContext({
    baseURL: server.url,
    viewport,
    reducedMotion: 'reduce',
  });
  const { access } = JSON.parse(storage.auth) as { access: string };
  for (const scene of all) {
    await context.clearCookies();
    if (scene.isPrivate) {
      await context.addCookies([
        { name: 'wharf_session', value: access, url: server.url, httpOnly: true },
      ]);
    }
    const page = await context.newPage();
    await page.addInitScript((items) => {
      for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
    }, storage);
    await page.goto(scene.path, { waitUntil: 'networkidle' });
    // The whole page is taken, further than anybody has scrolled.
    await page.evaluate(async () => {
      const images = [...document.querySelectorAll<HTMLImageElement>('img[loading=lazy]')];
      for (const image of images) image.loading = 'eager';
      await Promise.allSettled(images.map((image) => image.decode()));
    });
    await scene.act?.(page);
    await page.waitForTimeout(300);
    const path = join(FOLDER, `${scene.name}-${width}-${storage.theme}.png`);
    await page.screenshot({ path, fullPage: scene.act === undefined });
    await page.close();
  }
  await context.close();
}

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions } from '@playwright/test';
import type { SessionWire } from '../server/contract/wire.ts';
import { startServerProcess } from '../tests/support/server/server-process.ts';
import { launchBrowser, openContext, THEMES } from './screenshots/browser.ts';
import { startProviders } from './screenshots/payments.ts';
import { pathOf, type Scene } from './screenshots/scene.ts';
import { PAGES, STATES } from './screenshots/scenes.ts';
import { seedServer } from './screenshots/seed-server.ts';

const FOLDER = join(import.meta.dir, '../screenshots');
const OWNER = 'ana@example.com';

/** The names, widths and themes on the command line; all of them where there are none. */
const selected = process.argv.slice(2);
const isSelected = (one: string, all: readonly string[]) => {
  const some = all.filter((each) => selected.includes(each));
  return some.length === 0 || some.includes(one);
};
/** A number on the command line is a width, also one that is not among these. */
const typedWidths = selected.filter((one) => /^[0-9]+$/.test(one));
const WIDTHS = typedWidths.length > 0 ? typedWidths : ['390', '1024', '1440'];

const browser = await launchBrowser();
const providers = await startProviders();
const server = await startServerProcess({
  env: {
    ...providers.env,
    ADMIN_EMAIL: OWNER,
    S3_PORT: '0',
    SOURCE_URL: 'https://source.example/',
    VIDEO_CHANNEL_URL: 'https://video.example/',
  },
});
try {
  if (selected.length === 0) await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const { accounts, ids } = await seedServer(server, OWNER, providers);
  const scenes = [...PAGES, ...STATES];
  const names = scenes.map(({ name }) => name);
  const some = scenes.filter(({ name }) => isSelected(name, names));
  for (const width of WIDTHS) {
    for (const theme of THEMES.filter((one) => isSelected(one, THEMES))) {
      await take(browser, some, Number(width), theme, { accounts, ids });
    }
  }
  console.log(`The screenshots are in ${FOLDER}.`);
} finally {
  await browser.close();
  await server.stop();
  await providers.stop();
}

async function take(
  within: Browser,
  all: Scene[],
  width: number,
  theme: string,
  { accounts, ids }: Awaited<ReturnType<typeof seedServer>>,
) {
  const contexts = new Map<Scene['as'], BrowserContext>();
  for (const scene of all) {
    const session = scene.as && accounts[scene.as];
    const context = contexts.get(scene.as) ?? (await enter(within, width, theme, session));
    contexts.set(scene.as, context);
    const page = await context.newPage();
    try {
      await page.goto(pathOf(scene, ids), { waitUntil: 'networkidle' });
      // A screenshot shows the whole page, so images that nobody has scrolled to must be loaded too.
      await page.evaluate(async () => {
        const images = [...document.querySelectorAll<HTMLImageElement>('img[loading=lazy]')];
        for (const image of images) image.loading = 'eager';
        await Promise.allSettled(images.map((image) => image.decode()));
      });
      await scene.act?.(page, ids);
      await page.waitForTimeout(300);
    } catch (error) {
      // The other screenshots are still useful, and so is the one of the failure.
      console.error(`${scene.name} at ${width} px: ${error}`);
      process.exitCode = 1;
    }
    const path = join(FOLDER, `${scene.name}-${width}-${theme}.png`);
    await page.screenshot({ path, fullPage: !scene.act && !scene.isLong });
    await page.close();
    await context.setOffline(false);
  }
  for (const context of contexts.values()) await context.close();
}

/** Opens a browser context of a user, or of a visitor. */
async function enter(within: Browser, width: number, theme: string, session?: SessionWire) {
  const options = { ...deviceOf(width), baseURL: server.url };
  const context = await openContext(within, options, theme, session);
  context.setDefaultTimeout(15_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await context.addInitScript(() => {
    // More mails would be sent than one address can get in an hour. A Playwright route could answer these
    // calls too, but it disables the cache, and fonts that load late are missing on the screenshot.
    const { fetch } = window;
    const fetchWithoutMail = (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
      const isMail = /^\/users\/(email|send\/email\/.*)$/.test(pathname);
      return isMail ? Promise.resolve(new Response(null, { status: 204 })) : fetch(input, init);
    };
    window.fetch = fetchWithoutMail as typeof fetch;
  });
  return context;
}

/** Returns a phone, a small or a large screen. */
function deviceOf(width: number): BrowserContextOptions {
  const isSmall = width < 640;
  return {
    viewport: { width, height: isSmall ? 844 : 900 },
    hasTouch: isSmall,
    isMobile: isSmall,
  };
}

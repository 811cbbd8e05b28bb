import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharp } from '../media/image/sharp.ts';
import {
  PRODUCT_PICTURES,
  PRODUCT_SCREENS,
  type ProductScreen,
} from '../server/features/landing/product-pictures.ts';
import { startStripe } from '../tests/support/payments/stripe.ts';
import { startServerProcess } from '../tests/support/server/server-process.ts';
import { fillDemo } from './demo/fill.ts';
import { openDemoFolder } from './demo/folder.ts';
import { launchBrowser, openContext } from './screenshots/browser.ts';

/**
 * Takes the landing page's pictures of the dashboard: a server with the contents of the demo, in Chromium. They
 * are kept in the repository, because a build has no browser. What they show may be published: our own drawings, and a
 * photo in the public domain.
 */
const LANDING = join(import.meta.dir, '../server/features/landing');
/** Device pixels for each CSS pixel. The wide picture is shown smaller than it is on most screens. */
const SCALES: Record<ProductScreen, number> = { wide: 1.5, narrow: 2 };
/** Each picture is loaded by visitors on phones too. */
const MAX_BYTES = 60 * 1024;
const QUALITIES = [70, 62, 56, 50, 44];

const folder = await mkdtemp(join(tmpdir(), 'wharf-product-'));
const stripe = await startStripe();
const browser = await launchBrowser();
try {
  const account = await openDemoFolder(join(folder, 'demo'));
  const env = { ...stripe.env, LOG_LEVEL: 'error' };
  const session = await fillDemo(account, env, stripe);
  const server = await startServerProcess({ env, dataDir: account.dataDir });
  try {
    for (const { screen, theme, name } of PRODUCT_PICTURES) {
      const options = {
        baseURL: server.url,
        viewport: PRODUCT_SCREENS[screen],
        deviceScaleFactor: SCALES[screen],
      };
      const context = await openContext(browser, options, theme, session);
      const page = await context.newPage();
      await page.goto('/dashboard', { waitUntil: 'networkidle' });
      const bytes = await encode(await page.screenshot());
      await context.close();
      await Bun.write(join(LANDING, name), bytes);
      console.log(`${name}: ${(bytes.length / 1024).toFixed(1)} KiB`);
    }
  } finally {
    await server.stop();
  }
} finally {
  await browser.close();
  await stripe.stop();
  await rm(folder, { recursive: true });
}

/** Returns a screenshot as AVIF in the best quality that is small enough. Throws where none is. */
async function encode(png: Buffer): Promise<Buffer> {
  for (const quality of QUALITIES) {
    const bytes = await sharp(png).avif({ quality, effort: 6 }).toBuffer();
    if (bytes.length <= MAX_BYTES) return bytes;
  }
  throw new Error(`The picture is larger than ${MAX_BYTES} bytes in each quality.`);
}

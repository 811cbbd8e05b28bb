import type { Locator, Page } from '@playwright/test';
import { PDF_PAGE_TIMEOUT_MS, PDF_TIMEOUT_MS } from '../../../server/contract/files/pdf-preview.ts';
import { makePdf, type PdfOptions } from '../../support/fixtures/make-pdf.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, row } from '../support/uploading.ts';

/** Takes the limits of time away from PDFs, as a busy machine takes longer for one that is sound. */
const givePdfsTime = (page: Page) =>
  page.addInitScript(
    (limits) => {
      const wait = self.setTimeout;
      const waitUnlessLimit = (work: () => void, ms = 0, ...values: unknown[]) =>
        limits.includes(ms) ? 0 : wait(work, ms, ...values);
      Object.assign(self, { setTimeout: waitUnlessLimit });
    },
    [PDF_TIMEOUT_MS, PDF_PAGE_TIMEOUT_MS],
  );

/** Uploads PDFs into a new bucket, and returns what opens the details of one. */
async function enterWith(page: Page, server: ServerProcess, pdfs: Record<string, Buffer>) {
  await givePdfsTime(page);
  const { bucket, token } = await enterBucket(page, server);
  for (const [name, bytes] of Object.entries(pdfs)) {
    const form = new FormData();
    form.set('access', name.startsWith('private') ? 'private' : 'public');
    form.set('file', new Blob([new Uint8Array(bytes)]), name);
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  }
  await page.reload();
  return async (name: string) => {
    await row(page, name).getByRole('link').click();
    return page.getByRole('dialog', { name });
  };
}

const show = (drawer: Locator) =>
  drawer.getByRole('button', { name: 'Show the PDF' }).press('Enter');
const pagesOf = (drawer: Locator) => drawer.frameLocator('iframe').getByRole('figure');

/** Whether anything but white is on the canvas of a page. */
const isDrawn = (figure: Locator) =>
  figure.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
    return data?.some((value) => value < 128) ?? false;
  });

/** What Chromium says where a page without an origin calls us. */
test.use({ expectedComplaints: /blocked by CORS policy|net::ERR_FAILED/ });

const LETTER: PdfOptions = { pages: ['Dear harbour', 'Second page', 'Third page'] };

test('the pages of a private PDF are drawn when asked for, near the visible ones only', async ({
  page,
  server,
}) => {
  const many = Array.from({ length: 120 }, (_, at) => `Page number ${at + 1}`);
  const open = await enterWith(page, server, {
    'private.pdf': makePdf(LETTER),
    'long.pdf': makePdf({ pages: many }),
  });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  let drawer = await open('private.pdf');
  await expect(drawer.getByText('counts as bandwidth')).toBeVisible();
  expect(requested.filter((url) => /pdf-|embed\/pdf|\.wasm/.test(url))).toEqual([]);
  await show(drawer);
  await expect(pagesOf(drawer)).toHaveCount(3);
  await expect(pagesOf(drawer).first()).toHaveAccessibleName('Page 1 of 3');
  await expect(pagesOf(drawer).first()).toContainText('Dear harbour');
  expect(await isDrawn(pagesOf(drawer).first())).toBe(true);
  await expect(drawer.getByTitle('Pages of private.pdf')).toBeFocused();
  await expectSound(page, drawer);
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();

  drawer = await open('long.pdf');
  await show(drawer);
  await expect(pagesOf(drawer)).toHaveCount(100);
  const frame = drawer.frameLocator('iframe');
  await expect(frame.getByText('The first 100 of 120 pages.')).toBeAttached();
  await expect(pagesOf(drawer).first()).toContainText('Page number 1');
  await expect(pagesOf(drawer).last().locator('canvas')).toHaveCount(0);
  await page.keyboard.press('End');
  await expect(pagesOf(drawer).last()).toContainText('Page number 100');
  await expect(pagesOf(drawer).first().locator('canvas')).toHaveCount(0);
});

test('a PDF that can’t be read or needs a password says so, one with a wrong table is shown', async ({
  page,
  server,
}) => {
  const letter = makePdf(LETTER);
  const open = await enterWith(page, server, {
    'cut.pdf': letter.subarray(0, 40),
    'locked.pdf': makePdf({ ...LETTER, password: 'capstan' }),
    'mended.pdf': Buffer.from(letter.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7')),
  });
  for (const [name, text] of [
    ['cut.pdf', 'This PDF can’t be read. It may be damaged.'],
    ['locked.pdf', 'This PDF is protected by a password. Download it to open it.'],
  ] as const) {
    const drawer = await open(name);
    await show(drawer);
    await expect(drawer.getByText(text)).toBeVisible();
    await expect(drawer.locator('iframe')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
  }
  const drawer = await open('mended.pdf');
  await show(drawer);
  await expect(pagesOf(drawer).first()).toContainText('Dear harbour');
});

test('the script of a PDF does not run, and one that did would reach nothing of ours', async ({
  page,
  server,
}) => {
  const script = 'top.postMessage("taken", "*"); document.title = "taken"; app.alert("taken");';
  const open = await enterWith(page, server, {
    'hostile.pdf': makePdf({ pages: ['Hostile'], script }),
  });
  const taken: unknown[] = [];
  page.on('dialog', async (dialog) => {
    taken.push(dialog.message());
    await dialog.dismiss();
  });
  await page.evaluate(() => {
    Object.assign(window, { messages: [] });
    addEventListener('message', ({ data }) => Reflect.get(window, 'messages').push(data));
  });
  const drawer = await open('hostile.pdf');
  await show(drawer);
  await expect(pagesOf(drawer).first()).toContainText('Hostile');
  expect(await isDrawn(pagesOf(drawer).first())).toBe(true);
  const messages = () => page.evaluate(() => Reflect.get(window, 'messages'));
  await expect.poll(messages).toEqual([{ type: 'ready' }, { type: 'shown' }]);

  // What follows runs as a script would that a defect of pdf.js lets in.
  const frame = page.frames().find((one) => one.url().endsWith('/embed/pdf'));
  const reached = await frame?.evaluate(async (api) => {
    const tried = (what: () => unknown) => {
      try {
        return String(what());
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      origin: self.origin,
      title: document.title,
      cookie: tried(() => document.cookie),
      storage: tried(() => localStorage.length),
      page: tried(() => parent.document.title),
      call: await fetch(api).then(
        ({ status }) => status,
        ({ name }) => name,
      ),
    };
  }, `${server.url}/me`);
  expect(reached).toEqual({
    origin: 'null',
    title: 'PDF · Wharf',
    cookie: 'SecurityError',
    storage: 'SecurityError',
    page: 'SecurityError',
    call: 'TypeError',
  });
  await frame?.evaluate(() => parent.postMessage({ type: 'failed', reason: '<b>taken</b>' }, '*'));
  await expect(pagesOf(drawer)).toHaveCount(1);
  expect(taken).toEqual([]);
  await expect(page).toHaveTitle(/Files/);
});

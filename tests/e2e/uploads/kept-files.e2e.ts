import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { expectSound } from '../support/look.ts';
import {
  enterBucket,
  holdChunks,
  interruptAfterChunk,
  makeShelf,
  openDialog,
  remembered,
  trayRow,
  upload,
  watchChunks,
} from '../support/uploading.ts';

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

const ASKS = 'asks-for-permission';

/**
 * Makes the browser's picker choose a file of the origin's own file system, whose handles are those of the disk but
 * for the permission. No test can press buttons of the real picker, nor of the question that `ASKS` stands for.
 */
async function withPicker(page: Page, path: string) {
  await page.addInitScript((asks) => {
    const open = async () => (await navigator.storage.getDirectory()).getFileHandle('holiday.mp4');
    Reflect.set(window, 'showOpenFilePicker', async () => [await open()]);
    if (localStorage.getItem(asks) === null) return;
    let state = 'prompt';
    Object.assign(FileSystemHandle.prototype, {
      queryPermission: async () => state,
      requestPermission: async () => {
        if (!navigator.userActivation.isActive) throw new DOMException('', 'SecurityError');
        state = 'granted';
        return state;
      },
    });
  }, ASKS);
  await page.reload();
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<input type="file" id="disk">');
  });
  await page.locator('#disk').setInputFiles(path);
  await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>('#disk');
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle('holiday.mp4', { create: true });
    await input?.files?.[0]?.stream().pipeTo(await handle.createWritable());
    input?.remove();
  });
}

test('a file that the browser keeps goes on after a reload, by itself or after its question', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  await withPicker(page, shelf.at('holiday.mp4'));
  page.on('dialog', (warning) => void warning.accept());
  const chunks = watchChunks(page);
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).click();
  await expect(dialog.getByRole('button', { name: '426x240' })).toBeVisible();
  const reload = await interruptAfterChunk(page, () =>
    dialog.getByRole('button', { name: 'Upload', exact: true }).click(),
  );
  await page.evaluate((asks) => localStorage.setItem(asks, 'yes'), ASKS);
  await reload();

  const list = page.getByRole('region', { name: 'Interrupted uploads' });
  await expect(list.getByText(/^holiday\.mp4, 45%, expires in 2[34] h\.$/)).toBeVisible();
  const resume = list.getByRole('button', { name: 'Resume holiday.mp4' });
  expect((await resume.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expectSound(page, list);
  await holdChunks(page, 0);
  await resume.click();
  await expect(list).toBeHidden();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('9.00 MiB of 20.00 MiB');
  expect(chunks).toEqual(['202']);

  await page.evaluate((asks) => localStorage.removeItem(asks), ASKS);
  await page.reload();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('Ready.');
  await expect(list).toBeHidden();
  expect(chunks).toEqual(['202', '202', '201']);
  expect((await files()).map(({ size }) => size)).toEqual([20 * 1024 * 1024]);
  expect(await remembered(page)).toEqual([]);
});

test('a file that the browser has not kept is chosen again in its row, and another is refused', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  page.on('dialog', (warning) => void warning.accept());
  const chunks = watchChunks(page);
  const reload = await interruptAfterChunk(page, () =>
    upload(page, 'Video', shelf.at('holiday.mp4')),
  );
  await reload();
  const list = page.getByRole('region', { name: 'Interrupted uploads' });
  const choose = list.getByLabel('Choose file: holiday.mp4');
  await choose.setInputFiles(shelf.at('crane.mp4'));
  await expect(list.getByRole('alert')).toHaveText(
    'That is another file. Choose holiday.mp4, 20.00 MiB.',
  );
  await expectSound(page, list);
  expect(chunks).toEqual(['202']);
  await choose.setInputFiles(shelf.at('holiday.mp4'));
  await expect(list).toBeHidden();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('Ready.');
  expect(chunks).toEqual(['202', '202', '201']);
  expect(await files()).toHaveLength(1);
});

test('of two tabs that open at once, one goes on with a file, and the other leaves it alone', async ({
  page,
  server,
}) => {
  const { bucket, files } = await enterBucket(page, server);
  await withPicker(page, shelf.at('holiday.mp4'));
  page.on('dialog', (warning) => void warning.accept());
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).click();
  await expect(dialog.getByRole('button', { name: '426x240' })).toBeVisible();
  await interruptAfterChunk(page, () =>
    dialog.getByRole('button', { name: 'Upload', exact: true }).click(),
  );
  await page.goto('/docs');

  const other = await page.context().newPage();
  const tabs = [page, other];
  const chunks = tabs.map(watchChunks);
  // Both tabs know of the upload before either goes on with it, and neither comes to its end.
  const releases = [];
  const lists = [];
  other.on('dialog', (warning) => void warning.accept());
  for (const tab of tabs) {
    await tab.addInitScript(holdAllChunks);
    const url = /\/files\/upload\/video\/\w+\/\w+$/;
    releases.push(await holdRequests(tab, url));
    lists.push(tab.waitForRequest(url));
    await tab.goto(`/dashboard/files/${bucket.id}`);
  }
  await Promise.all(lists);
  for (const release of releases) release();
  const rows = tabs.map((tab) => trayRow(tab, 'holiday.mp4'));
  const counts = () => Promise.all(rows.map((row) => row.count()));
  await expect.poll(async () => (await counts()).toSorted()).toEqual([0, 1]);
  const winner = (await counts()).indexOf(1);
  const loser = tabs[1 - winner] as Page;
  const winning = tabs[winner] as Page;
  await expect(rows[winner] as Locator).toContainText('9.00 MiB of 20.00 MiB');
  const list = loser.getByRole('region', { name: 'Interrupted uploads' });
  await expect(list).toBeHidden();
  expect(await counts()).toEqual(winner === 0 ? [1, 0] : [0, 1]);
  expect(chunks.flat()).toEqual([]);

  // The tab that stays takes over what the other one has begun.
  await winning.goto('/docs');
  await loser.evaluate(() => sessionStorage.setItem('sends', 'yes'));
  await loser.reload();
  await expect(trayRow(loser, 'holiday.mp4')).toContainText('Ready.');
  expect(chunks.flat()).toEqual(['202', '201']);
  expect((await files()).map(({ size }) => size)).toEqual([20 * 1024 * 1024]);
});

/** Keeps the chunks of a page from being sent, until its session storage says otherwise. */
function holdAllChunks() {
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (body) {
    if (!(body instanceof FormData) || sessionStorage.getItem('sends')) send.call(this, body);
  };
}

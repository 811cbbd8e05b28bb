import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, openDialog, row, trayRow, upload } from '../support/uploading.ts';

let top: string;
const at = (name: string) => join(top, name);
test.beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'wharf-replacing-'));
  for (const folder of ['new', 'broken']) await mkdir(at(folder));
  await writeFile(at('quay.jpg'), await makePhoto({ width: 640, height: 480 }));
  await writeFile(at('new/quay.jpg'), await makePhoto({ width: 480, height: 640 }));
  await writeFile(at('broken/quay.jpg'), 'not a photo at all');
});
test.afterAll(() => rm(top, { recursive: true }));

test('an image replaces the one of its name where that is chosen, and a refused one leaves it', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  await upload(page, 'Image', at('quay.jpg'));
  await expect(row(page, 'quay.jpg')).toContainText('Success');
  const [first] = await files();

  const dialog = await openDialog(page, 'Image');
  const replace = dialog.getByLabel('Replace existing files');
  await expect(replace).not.toBeChecked();
  await replace.check();
  await dialog.getByLabel('Image', { exact: true }).setInputFiles(at('broken/quay.jpg'));
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(trayRow(page, 'not a JPEG')).toBeVisible();
  expect(await files()).toEqual([first as never]);

  await openDialog(page, 'Image');
  await expect(replace).not.toBeChecked();
  await replace.check();
  const input = dialog.getByLabel('Image', { exact: true });
  await input.setInputFiles([at('quay.jpg'), at('new/quay.jpg')]);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Two of these files are named quay.jpg');
  expect(await files()).toEqual([first as never]);
  await dialog.getByRole('button', { name: 'Remove quay.jpg' }).first().click();
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(trayRow(page, 'Ready.')).toHaveCount(2);
  await expect.poll(async () => (await files()).map(({ path }) => path)).toEqual(['quay.jpg']);
  const [second] = await files();
  expect(second?.id).not.toBe(first?.id);
  expect([second?.width, second?.height]).toEqual([480, 640]);
  await expect(row(page, 'quay.jpg')).toHaveCount(1);
  await expect(row(page, 'quay (2).jpg')).toHaveCount(0);
});

test('any other file does too, and gets a number where that is not chosen', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  await writeFile(at('notes.txt'), 'one');
  await writeFile(at('new/notes.txt'), 'two, which is longer');
  let sent = 0;
  const send = async (path: string, isReplacing: boolean) => {
    const dialog = await openDialog(page, 'Files');
    await dialog.getByLabel('Files', { exact: true }).setInputFiles(at(path));
    if (isReplacing) await dialog.getByLabel('Replace existing files').check();
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toBeHidden();
    sent += 1;
    await expect(trayRow(page, 'Ready.')).toHaveCount(sent);
  };
  await send('notes.txt', true);
  await send('notes.txt', false);
  await send('new/notes.txt', true);
  const sizes = (await files()).map(({ path, size }) => `${path} ${size}`);
  const { length } = await readFile(at('new/notes.txt'));
  expect(sizes.toSorted()).toEqual(['notes (2).txt 3', `notes.txt ${length}`]);
});

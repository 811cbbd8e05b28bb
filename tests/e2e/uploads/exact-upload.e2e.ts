import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { FileWire } from '../../../server/contract/wire.ts';
import { makeClip, makePhoto } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, openDialog, row } from '../support/uploading.ts';

let top: string;
const at = (name: string) => join(top, name);
test.beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'wharf-exact-'));
  const photo = await makePhoto({ width: 640, height: 480 });
  const signed = sharp(photo).withExif({ IFD0: { Artist: 'Ada' } });
  await writeFile(at('quay.jpg'), await signed.toBuffer());
  await writeFile(at('scan.tiff'), await sharp(photo).tiff().toBuffer());
  await makeClip(at('clip.mp4'), { seconds: 1 });
});
test.afterAll(() => rm(top, { recursive: true }));

const isExact = async ({ url, name }: FileWire) =>
  (await readFile(at(name))).equals(Buffer.from(await (await fetch(url ?? '')).arrayBuffer()));

test('images and videos are kept as they are where that is chosen, in each dialog', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  const send = async (kind: 'Image' | 'Video' | 'Files', name: string) => {
    const dialog = await openDialog(page, kind);
    await dialog.getByLabel(kind, { exact: true }).setInputFiles(at(name));
    const choice = dialog.getByLabel(/^Keep (the file as it is|files as they are)$/);
    await expect(choice).not.toBeChecked();
    if (kind === 'Image') await dialog.getByLabel('Convert to WebP').check();
    await choice.check();
    if (kind === 'Image') await expect(dialog.getByLabel('Convert to WebP')).not.toBeChecked();
    if (kind === 'Video') await expect(dialog.getByLabel('Timeline preview')).toHaveCount(0);
    await expectSound(page, dialog);
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(row(page, name)).toContainText('Success');
  };
  await send('Image', 'quay.jpg');
  await send('Video', 'clip.mp4');
  await send('Files', 'scan.tiff');
  const stored = await files();
  expect(stored.map(({ name, file_type }) => `${name} ${file_type}`).toSorted()).toEqual([
    ...['clip.mp4 file', 'quay.jpg image', 'scan.tiff file'],
  ]);
  for (const file of stored) expect(await isExact(file)).toBe(true);
});

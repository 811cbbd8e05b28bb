import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tone } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { enterBucket, openDialog, row } from '../support/uploading.ts';

test('the details of private audio show its length, and play it', async ({ page, server }) => {
  const top = await mkdtemp(join(tmpdir(), 'wharf-audio-'));
  const path = join(top, 'song.mp3');
  await writeFile(path, await tone('tone.mp3', 3));
  const { files } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Files');
  await dialog.getByLabel('Files', { exact: true }).setInputFiles(path);
  await dialog.getByLabel('Access control').selectOption('private');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await files())[0]?.duration ?? null).not.toBeNull();
  const [file] = await files();
  expect((await fetch(file?.url ?? '')).status).toBe(401);

  await row(page, 'song.mp3').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'song.mp3' });
  await expect(drawer.getByText('Duration')).toBeVisible();
  await expect(drawer.getByText('0:03')).toBeVisible();
  await drawer.getByRole('button', { name: 'Play song.mp3' }).click();
  const player = drawer.locator('audio');
  await expect
    .poll(() => player.evaluate((audio: HTMLAudioElement) => Math.round(audio.duration)))
    .toBe(3);
  expect(await player.evaluate((audio: HTMLAudioElement) => audio.error)).toBeNull();
  await rm(top, { recursive: true });
});

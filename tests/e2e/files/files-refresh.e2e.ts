import { sendFile } from '../../support/client/api.ts';
import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { pauseClock } from '../support/clock.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { enterFull, fileLink, watchLists } from '../support/many-files.ts';
import { watchSockets } from '../support/sockets.ts';
import { enterBucket, row } from '../support/uploading.ts';

test('a list that stays open is refreshed while a file is processed, and not afterwards', async ({
  page,
  server,
}) => {
  await page.clock.install();
  const { rows } = await enterFull(page, server, { count: 6 });
  const ids = [rows[2]?.id ?? ''];
  await updateFiles(server.dataDir, ids, { status: 'processing', playable: 0 });
  const queries = watchLists(page);
  await page.getByRole('button', { name: 'Private', exact: true }).click();
  await expect.poll(() => queries).toContain('access=private&cursor=0');
  await expect(fileLink(page, 2)).toBeVisible();
  await expect(page.getByText('Processing')).toBeVisible();
  await updateFiles(server.dataDir, ids, { status: 'success', playable: 1 });
  await page.clock.fastForward('00:02');
  await expect(page.getByText('Processing')).toBeHidden();

  const before = queries.length;
  await page.clock.fastForward('40:00');
  await roundTrip(page);
  expect(queries.length).toBe(before);
});

test('a file that a program uploads or deletes comes and goes on the open page, in every list of it', async ({
  page,
  server,
}) => {
  const { bucket } = await enterBucket(page, server);
  await expect(page.getByText('Run this command with the key')).toBeVisible();
  const [first, second] = [await photo(), await photo()];
  await sendFile(server, bucket, 'image', { access: 'public', webp: '' }, first, 'crane.jpg');
  await expect(row(page, 'crane.jpg')).toContainText('Success');
  const fields = { access: 'private', webp: '' };
  const file = await sendFile(server, bucket, 'image', fields, second, 'quay.jpg');
  await expect(row(page, 'quay.jpg')).toContainText('Success');
  const response = await fetch(`${server.url}/files/${bucket.id}/${file.id}`, {
    method: 'DELETE',
    headers: { 'x-api-key': bucket.api_key },
  });
  expect(response.status).toBe(204);
  await expect(row(page, 'quay.jpg')).toBeHidden();
  await expect(row(page, 'crane.jpg')).toBeVisible();
});

test('a page loads its list twice for a hundred events within two seconds, and not for other buckets', async ({
  page,
  server,
}) => {
  await page.clock.install();
  const sockets = await watchSockets(page);
  const { bucket } = await enterFull(page, server, { count: 6 });
  await expect.poll(() => sockets.isOpen).toBe(true);
  await pauseClock(page);
  const queries = watchLists(page);
  const event = { type: 'file.created', file_id: 'f', status: 'processing', progress: 0 };
  const emit = (bucketId: string) => {
    for (let at = 0; at < 100; at += 1) sockets.emit({ ...event, bucket_id: bucketId });
  };
  emit('other');
  await page.clock.runFor(4_000);
  await roundTrip(page);
  expect(queries).toEqual([]);

  emit(bucket.id);
  await page.clock.runFor(1_000);
  await expect.poll(() => queries.length).toBe(1);
  await page.clock.runFor(10_000);
  await roundTrip(page);
  await expect.poll(() => queries.length).toBe(2);
});

test('files that change or go where the list is not looked at are up to date once they are seen', async ({
  page,
  server,
}) => {
  await page.clock.install();
  const sockets = await watchSockets(page);
  const { bucket, rows } = await enterFull(page, server, { count: 270 });
  await expect.poll(() => sockets.isOpen).toBe(true);
  await fileLink(page, 0).focus();
  await page.keyboard.press('End');
  await expect(fileLink(page, 269)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(fileLink(page, 0)).toBeFocused();

  const queries = watchLists(page);
  const at = (index: number) => rows[index]?.id ?? '';
  const headers = { 'x-api-key': bucket.api_key, 'content-type': 'application/json' };
  const call = (method: string, id: string, body?: object) =>
    fetch(`${server.url}/files/${bucket.id}/${id}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await call('PATCH', at(121), { path: 'renamed.jpg' })).status).toBe(200);
  expect((await call('DELETE', at(123))).status).toBe(204);
  // Events arrive by the real clock: one that came later would refresh the list once more.
  await expect.poll(() => sockets.received).toContain('file.deleted');
  await roundTrip(page);
  await page.clock.runFor(10_000);
  await expect.poll(() => queries.length).toBeGreaterThan(0);
  expect(new Set(queries)).toEqual(new Set(['cursor=0']));

  const box = page.getByRole('region', { name: 'Files in this bucket' });
  await box.evaluate((it) => it.scrollTo(0, 40 * 118));
  await expect(fileLink(page, 120)).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(page.getByRole('link', { name: 'renamed.jpg' })).toBeVisible();
  await expect(fileLink(page, 121)).toHaveCount(0);
  await expect(fileLink(page, 123)).toHaveCount(0);
  await expect(fileLink(page, 124)).toBeVisible();
  // It has been reloaded, and is not again.
  const before = queries.length;
  await box.evaluate((it) => it.scrollTo(0, 0));
  await expect(fileLink(page, 0)).toBeVisible();
  await page.clock.runFor(1_000);
  await box.evaluate((it) => it.scrollTo(0, 40 * 118));
  await expect(fileLink(page, 120)).toBeVisible();
  await page.clock.runFor(1_000);
  await roundTrip(page);
  expect(queries.length).toBe(before);
});

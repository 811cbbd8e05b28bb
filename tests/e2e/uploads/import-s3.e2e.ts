import { startFileSource } from '../../support/services/file-source.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { dialogOf, enterBucket, row } from '../support/uploading.ts';

let source: Awaited<ReturnType<typeof startFileSource>>;
test.beforeAll(async () => {
  source = await startFileSource();
});
test.afterAll(() => source.stop());

/** What an S3 server answers to a list. */
const listOf = (keys: string[]) =>
  `<ListBucketResult><IsTruncated>false</IsTruncated>${keys
    .map((key) => `<Contents><Key>${key}</Key><Size>5</Size><ETag>"${key}-1"</ETag></Contents>`)
    .join('')}</ListBucketResult>`;

test('a bucket is imported from an S3 server, which is shown while it runs and at its end', async ({
  page,
  server,
}) => {
  await enterBucket(page, server);
  source.serve('/photos/', listOf(['a.txt', 'b.txt', 'gone.txt']));
  source.serve('/photos/a.txt', 'hello');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // On a slow machine the server gives up a request that is not answered, and sends another one.
  source.serve('/photos/b.txt', async (response) => {
    await released;
    response.writeHead(200, { 'content-length': 5 }).end('hello');
  });

  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Import from S3' }).click();
  const dialog = dialogOf(page);
  const start = dialog.getByRole('button', { name: 'Import', exact: true });
  await start.click();
  await expect(dialog.getByRole('alert')).toHaveText('Enter a bucket and its access key.');
  await dialog.getByLabel('Endpoint').fill(source.url);
  await dialog.getByLabel('Bucket', { exact: true }).fill('missing');
  await dialog.getByLabel('Access key ID').fill('key');
  await dialog.getByLabel('Secret access key').fill('secret');
  await start.click();
  await expect(dialog.getByRole('alert')).toHaveText(
    'The bucket could not be read. The S3 server has no such bucket or object.',
  );
  await expectSound(page, dialog);
  await dialog.getByLabel('Bucket', { exact: true }).fill('photos');
  await start.click();

  const status = dialog.getByRole('status');
  await expect(status).toHaveText('Importing photos');
  // The pressed button is gone, and the focus stays in the dialog.
  await expect(page.locator('body')).not.toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: 'Stop' })).toBeFocused();
  await expect.poll(() => source.requested).toContain('/photos/b.txt');
  await expectSound(page, dialog);
  await page.reload();
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Import from S3' }).click();
  await expect(status).toHaveText('Importing photos');
  release();
  await expect(status).toHaveText('Imported photos');
  await expect(dialog.getByText('2 files copied (0.01 KiB), 1 failed.')).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Objects that were not copied' })).toContainText(
    'gone.txt',
  );
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(page, 'b.txt')).toBeVisible();
});

test('missing files are fetched from an S3 server when they are read, until that is stopped', async ({
  page,
  server,
}) => {
  const { bucket } = await enterBucket(page, server);
  source.serve('/shadow/', listOf([]));
  source.serve('/shadow/a.txt', 'hello');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Import from S3' }).click();
  const dialog = dialogOf(page);
  const fetching = dialog.getByRole('button', { name: 'Fetch on first read' });
  await fetching.click();
  await expect(dialog.getByRole('alert')).toHaveText('Enter a bucket and its access key.');
  await dialog.getByLabel('Endpoint').fill(source.url);
  await dialog.getByLabel('Bucket', { exact: true }).fill('shadow');
  await dialog.getByLabel('Access key ID').fill('key');
  await dialog.getByLabel('Secret access key').fill('secret');
  await dialog.getByLabel('Access control').selectOption('public');
  await fetching.click();
  const state = dialog.getByRole('region', { name: 'Source of missing files' });
  const { host } = new URL(source.url);
  await expect(state).toContainText(`Missing files are fetched from shadow at ${host}`);
  await expectSound(page, dialog);
  const response = await fetch(`${server.url}/cdn/${bucket.id}/~/a.txt`);
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  await state.getByRole('button', { name: 'Stop fetching' }).click();
  await expect(state).toBeHidden();
  await expect(page.locator('body')).not.toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByLabel('Endpoint')).toBeFocused();
});

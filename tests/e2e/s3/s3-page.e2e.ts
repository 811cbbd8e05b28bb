import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, question } from '../support/uploading.ts';

test.use({ serverEnv: [{ S3_PORT: '0' }, { scope: 'worker' }] });

test('an S3 key is created, works with an S3 client, and ends when it is deleted', async ({
  page,
  server,
  secrets,
}) => {
  await enterBucket(page, server);
  await page.getByRole('link', { name: 'S3', exact: true }).click();
  await expect(page.getByText('No keys yet.')).toBeVisible();
  await page.getByRole('button', { name: 'rclone' }).click();
  await expect(page.locator('pre')).toContainText('type = s3');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create S3 key' });
  await dialog.getByLabel('Name').fill('Backup');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const created = page.getByRole('dialog', { name: 'S3 key created' });
  await expectSound(page);
  const [accessKeyId = '', secretAccessKey = ''] = await created.locator('code').allInnerTexts();
  secrets.add(secretAccessKey);
  await created.getByRole('button', { name: 'Done' }).click();

  const key = page.getByRole('listitem').filter({ hasText: 'Backup' });
  await expect(key).toContainText(accessKeyId);
  await expect(key).toContainText('All buckets');
  await expect(page.locator('body')).not.toContainText(secretAccessKey);
  const endpoint = await page.locator('code').filter({ hasText: 'http' }).first().textContent();
  const client = new S3Client({
    ...{ endpoint: endpoint ?? '', region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
  });
  expect((await client.send(new ListBucketsCommand({}))).Buckets).toHaveLength(1);

  await page
    .getByLabel('Request', { exact: true })
    .fill(`curl '${endpoint}/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=never'`);
  await page.getByRole('button', { name: 'Check request' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'X-Amz-Expires' })).toBeVisible();
  await expectSound(page);

  await key.getByRole('button', { name: 'Delete Backup' }).click();
  await question(page, 'Delete S3 key').getByRole('button', { name: 'Delete key' }).click();
  await expect(page.getByText('No keys yet.')).toBeVisible();
  await expect(client.send(new ListBucketsCommand({}))).rejects.toThrow('No access key');
});

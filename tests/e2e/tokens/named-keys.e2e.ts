import { createBucket } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { press } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { startSession } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

test('a key of an app is created with a scope, shown once, and deleted', async ({
  page,
  server,
  context,
  secrets,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const { token } = await startSession(page, server);
  const { id } = await createBucket(server, token, 'Keys');
  const list = (key: string) =>
    page.request.get(`/files/${id}`, { headers: { 'x-api-key': key } }).then((one) => one.status());

  await page.goto(`/dashboard/api-key/${id}`);
  const panel = page.getByRole('region', { name: 'Keys for your apps' });
  await expect(panel.getByRole('listitem')).toHaveText([/^Primary/]);
  await expect(panel.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  await press(page, panel.getByRole('button', { name: 'Create key' }));
  const dialog = page.getByRole('dialog', { name: 'Create API key' });
  await dialog.getByLabel('Name').fill('Nightly backup');
  await expectSound(page, dialog);
  await press(page, dialog.getByRole('button', { name: 'Create key' }));

  const created = page.getByRole('dialog', { name: 'API key created' });
  await created.getByRole('button', { name: 'Copy new API key' }).click();
  await expectToast(page, 'Copied to clipboard!');
  const key = await page.evaluate(() => navigator.clipboard.readText());
  secrets.add(key);
  expect(await list(key)).toBe(200);
  await expectSound(page, created);
  await press(page, created.getByRole('button', { name: 'Done' }));
  await expect(page.getByText(key)).toHaveCount(0);
  const row = panel.getByRole('listitem').filter({ hasText: 'Nightly backup' });
  await expect(row).toContainText('Read');
  await page.reload();
  await expect(row).toBeVisible();

  await press(page, row.getByRole('button', { name: 'Delete Nightly backup' }));
  const confirm = page.getByRole('dialog', { name: 'Delete API key' });
  await page.keyboard.press('Escape');
  expect(await list(key)).toBe(200);
  await press(page, row.getByRole('button', { name: 'Delete Nightly backup' }));
  await press(page, confirm.getByRole('button', { name: 'Delete key' }));
  await expectToast(page, 'API key deleted.');
  await expect(row).toHaveCount(0);
  expect(await list(key)).toBe(401);
  await expectSound(page, panel);
});

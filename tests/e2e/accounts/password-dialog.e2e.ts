import { createBucket } from '../../support/client/api.ts';
import { inDatabase } from '../../support/fixtures/file-rows.ts';
import { expect, test } from '../fixtures.ts';
import { activate, press } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { PASSWORD, startSession } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

test('an old session asks for the password in a dialog, and then does what was asked', async ({
  page,
  server,
  context,
  secrets,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const { token, userId } = await startSession(page, server);
  const { id, api_key: key } = await createBucket(server, token, 'Guarded');
  secrets.add(key);
  const ageSession = () =>
    inDatabase(
      server.dataDir,
      'file.query("update sessions set password_confirmed_at = 0 where user_id = $id").run(given);',
      { id: userId },
    );
  await ageSession();
  await page.goto(`/dashboard/api-key/${id}`);
  const row = page.getByRole('row', { name: 'API key' });
  const shown = row.getByRole('cell').first();
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
  const field = dialog.getByLabel('Password', { exact: true });

  const show = row.getByRole('button', { name: 'Show API key' });
  await press(page, show);
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(show).toBeFocused();
  await expect(shown).not.toHaveText(key);

  await activate(page, show);
  await expect(field).toBeFocused();
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText('Incorrect password.');
  await expect(field).toBeFocused();
  await expectSound(page, dialog);
  // What was refused is selected, so that typing replaces it.
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(shown).toHaveText(key);
  await expect(dialog).toBeHidden();

  await ageSession();
  await page.reload();
  await activate(page, row.getByRole('button', { name: 'Copy API key' }));
  await expect(field).toBeFocused();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Copied to clipboard!');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

  await ageSession();
  await activate(page, row.getByRole('button', { name: 'Regenerate' }));
  const question = page.getByRole('dialog', { name: 'Regenerate API key' });
  const confirm = question.getByRole('button', { name: 'Regenerate' });
  await activate(page, confirm);
  await expect(field).toBeFocused();
  await activate(page, dialog.getByRole('button', { name: 'Cancel' }));
  await expect(dialog).toBeHidden();
  await activate(page, confirm);
  await expect(field).toBeFocused();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expectToast(page, 'API key regenerated.');
  await expect(question).toBeHidden();
});

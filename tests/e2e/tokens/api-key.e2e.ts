import { createBucket, uploadImage } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { pauseClock } from '../support/clock.ts';
import { press, tabTo } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { startSession } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

const DAY = 86_400;

test('the key is masked, shown for a while, copied and regenerated, and tokens made with a scope and a last day', async ({
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
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  await page.clock.install();
  await page.goto(`/dashboard/files/${id}`);
  await page.getByRole('navigation', { name: 'Bucket' }).getByText('API Key').click();
  await expect(page).toHaveURL(`/dashboard/api-key/${id}`);
  const row = page.getByRole('row', { name: 'API key' });
  await expect(row.getByRole('cell').first()).toHaveText('•'.repeat(24));
  await press(page, row.getByRole('button', { name: 'Copy API key' }));
  await expectToast(page, 'Copied to clipboard!');
  const key = await clipboard();
  secrets.add(key);
  expect(await list(key)).toBe(200);
  // It would be masked again after ten seconds.
  await pauseClock(page);
  await press(page, row.getByRole('button', { name: 'Show API key' }));
  await expect(row.getByRole('cell').first()).toHaveText(key);
  await press(page, row.getByRole('button', { name: 'Hide API key' }));
  await expect(row.getByRole('cell').first()).not.toHaveText(key);
  await page.clock.resume();
  await page.getByRole('button', { name: 'Copy bucket ID' }).click();
  await expect.poll(clipboard).toBe(id);

  await press(page, row.getByRole('button', { name: 'Regenerate' }));
  const dialog = page.getByRole('dialog', { name: 'Regenerate API key' });
  await expect(dialog).toContainText(
    'all access tokens of this bucket and links to private files stop working immediately',
  );
  await page.keyboard.press('Escape');
  expect(await list(key)).toBe(200);
  await press(page, row.getByRole('button', { name: 'Regenerate' }));
  await press(page, dialog.getByRole('button', { name: 'Regenerate' }));
  await expectToast(page, 'API key regenerated.');
  expect(await list(key)).toBe(401);
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await expect.poll(clipboard).not.toBe(id);
  secrets.add(await clipboard());
  expect(await list(await clipboard())).toBe(200);

  const panel = page.getByRole('region', { name: 'Access Tokens' });
  const generate = panel.getByRole('button', { name: 'Generate new token' });
  const createToken = async () => {
    const before = await clipboard();
    await press(page, generate);
    // A click before the new token is shown copies the one of before.
    await expect(async () => {
      await panel.getByRole('button', { name: 'Copy token' }).click();
      expect(await clipboard()).not.toBe(before);
    }).toPass();
    const jwt = await clipboard();
    secrets.add(jwt);
    return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  };

  const ofAll = await createToken();
  expect([ofAll.aud, ofAll.sub, ofAll.prefix]).toEqual(['read', id, undefined]);
  const folder = panel.getByLabel('Folder (optional)');
  await folder.fill('photos/2026');
  expect(await createToken()).toMatchObject({ aud: 'read', sub: id, prefix: 'photos/2026/' });
  await panel.getByRole('button', { name: 'Read' }).click();
  await expect(generate).toBeDisabled();
  await press(page, panel.getByRole('button', { name: 'Write' }));
  await expect(folder).toBeHidden();
  const date = panel.getByLabel('Expiration date (optional)');
  const [year, month, day] = new Date(Date.now() + 30 * DAY * 1000).toISOString().split(/[-T]/);
  await expect(date).toHaveClass(/flatpickr-input/);
  await date.click();
  const calendar = await page.locator('.flatpickr-calendar.open').boundingBox();
  const field = await date.boundingBox();
  if (!calendar || !field) throw new Error('There is no calendar.');
  const isOutside = calendar.y + calendar.height < field.y || calendar.y > field.y + field.height;
  expect(isOutside, 'the calendar covers its field').toBe(true);
  await page.keyboard.press('Escape');
  await date.fill(`${day}/${month}/${year}`);
  await tabTo(page, generate);
  const claims = await createToken();
  expect(claims).toMatchObject({ aud: 'write', sub: id });
  expect(claims.prefix).toBeUndefined();
  expect(claims.exp - Date.now() / 1000).toBeGreaterThan(29 * DAY);
  expect(claims.exp - Date.now() / 1000).toBeLessThan(32 * DAY);
  // Another token replaces none that is shown, until it is dismissed.
  const copies = panel.getByRole('button', { name: /^Copy (earlier )?token/ });
  await expect(copies).toHaveCount(3);
  await expectSound(page, panel);
  await press(page, panel.getByRole('button', { name: 'Done with Access token' }).first());
  await expect(copies).toHaveCount(2);
});

test('a token gets a name, is listed, and is revoked without the others', async ({
  page,
  server,
  secrets,
}) => {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Keys');
  const photo = new File([new Uint8Array(await makePhoto())], 'photo.jpg');
  const { url } = await uploadImage(server, bucket, photo, 'private');
  const status = async (jwt: string) => (await fetch(`${url}?jwt=${jwt}`)).status;
  await page.goto(`/dashboard/api-key/${bucket.id}`);
  const panel = page.getByRole('region', { name: 'Access Tokens' });
  const list = page.getByRole('region', { name: 'Active tokens' });
  await expect(list).toContainText('No active tokens.');
  const jwts: string[] = [];
  for (const name of ['Gallery', 'Player']) {
    await panel.getByLabel('Name (optional)').fill(name);
    await press(page, panel.getByRole('button', { name: 'Generate new token' }));
    await expect(panel.getByRole('button', { name: `Done with ${name}` })).toBeVisible();
    jwts.unshift((await panel.locator('code').first().textContent()) ?? '');
  }
  for (const jwt of jwts) secrets.add(jwt);
  const items = list.getByRole('listitem');
  await expect(items).toHaveText([/^Player.*Read.*Never used/, /^Gallery.*Read.*Never used/]);
  expect(await Promise.all(jwts.map(status))).toEqual([200, 200]);
  await page.reload();
  await expect(panel.locator('code')).toHaveCount(0);

  await press(page, list.getByRole('button', { name: 'Revoke Gallery' }));
  const dialog = page.getByRole('dialog', { name: 'Revoke access token' });
  await expect(dialog).toContainText('Gallery stops working immediately');
  await expectSound(page, dialog);
  await page.keyboard.press('Escape');
  await expect(items).toHaveCount(2);
  await press(page, list.getByRole('button', { name: 'Revoke Gallery' }));
  await press(page, dialog.getByRole('button', { name: 'Revoke token' }));
  await expectToast(page, 'Access token revoked.');
  await expect(items).toHaveText([/^Player/]);
  expect(await Promise.all(jwts.map(status))).toEqual([200, 403]);
  await expectSound(page, list);
});

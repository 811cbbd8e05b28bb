import type { BucketWire } from '../../../server/contract/wire.ts';
import { expect } from '../fixtures.ts';
import { enterAt, test } from '../support/delivery-hosts.ts';
import { press } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { expectToast } from '../support/toasts.ts';

test('expiry rules are typed in rows, and a wrong one says what is wrong and gets the focus', async ({
  page,
  server,
  hosts,
}) => {
  const { user, bucket } = await enterAt(page, server, hosts.app);
  const saved = async () => {
    const headers = user.authorization;
    const response = await fetch(`${server.url}/buckets/${bucket.id}`, { headers });
    return ((await response.json()) as BucketWire).expiry_rules;
  };
  await page.goto(`${hosts.app}/dashboard/settings/${bucket.id}/retention`);
  const panel = page.getByRole('region', { name: 'Expiry rules', exact: true });
  const rule = (n: number) => panel.getByRole('group', { name: `Rule ${n}` });
  const prefixOf = (n: number) => rule(n).getByLabel('Paths that begin with');
  const save = panel.getByRole('button', { name: 'Save Changes' });
  await expect(panel.getByText('No expiry rules.')).toBeVisible();
  await expect(save).toBeHidden();
  await press(page, panel.getByRole('button', { name: 'Add rule' }));
  await expect(prefixOf(1)).toBeFocused();
  await page.keyboard.type('logs/');
  await press(page, panel.getByRole('button', { name: 'Add rule' }));
  await expect(prefixOf(2)).toBeFocused();
  await page.keyboard.type('/tmp');
  await rule(2).getByLabel('Days').fill('0');
  await press(page, save);
  await expect(panel.getByRole('alert')).toHaveText([
    'Enter the beginning of a path, such as logs/2026/.',
    '1 to 3650.',
  ]);
  await expect(prefixOf(2)).toBeFocused();
  await expectSound(page, panel);
  expect(await saved()).toEqual([]);
  await prefixOf(2).fill('logs/');
  await press(page, save);
  await expect(panel.getByRole('alert').first()).toHaveText('Another rule has the same beginning.');
  await prefixOf(2).fill('');
  await rule(2).getByLabel('Days').fill('365');
  await press(page, save);
  await expectToast(page, 'Expiry rules saved.');
  expect(await saved()).toEqual([
    { prefix: 'logs/', days: 30 },
    { prefix: '', days: 365 },
  ]);
  await press(page, panel.getByRole('button', { name: 'Remove rule 1' }));
  await expect(panel.getByRole('button', { name: 'Add rule' })).toBeFocused();
  await press(page, save);
  await expect.poll(saved).toEqual([{ prefix: '', days: 365 }]);
  await page.reload();
  await expect(prefixOf(1)).toHaveValue('');
  await expect(rule(1).getByLabel('Days')).toHaveValue('365');
  await expect(rule(2)).toBeHidden();
  await press(page, panel.getByRole('button', { name: 'Remove rule 1' }));
  await press(page, save);
  await expectToast(page, 'Expiry rules saved.');
  await expect(save).toBeHidden();
  await expect(panel.getByRole('button', { name: 'Add rule' })).toBeFocused();
  expect(await saved()).toEqual([]);
});

test('a bucket becomes a static site, whose address is shown, and ends to be one', async ({
  page,
  context,
  server,
  hosts,
}) => {
  const { bucket, put } = await enterAt(page, server, hosts.app);
  await put('index.html', '<!doctype html><title>Our site</title>');
  await page.goto(`${hosts.app}/dashboard/settings/${bucket.id}/delivery`);
  const panel = page.getByRole('region', { name: 'Static site', exact: true });
  await expect(panel.getByRole('link')).toBeHidden();
  await press(page, panel.getByRole('button', { name: /^On/ }));
  await expectToast(page, 'Static site is on.');
  await expectSound(page, panel);
  const address = await panel.getByRole('link').getAttribute('href');
  const site = await context.newPage();
  await site.goto(address ?? '');
  await expect(site).toHaveTitle('Our site');
  await press(page, panel.getByRole('button', { name: /^Off/ }));
  await expectToast(page, 'Static site is off.');
  await expect(panel.getByRole('link')).toBeHidden();
  expect((await site.reload())?.status()).toBe(404);
});

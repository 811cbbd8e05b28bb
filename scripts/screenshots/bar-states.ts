import { breakCalls, failed, type Ids, ownerAt as owner, press, type Scene } from './scene.ts';

/** What opens from the bar, and what every page says. */
export const barStates = ({ full }: Ids): Scene[] => [
  owner('menu', '/dashboard', async (page) => {
    const compact = page.getByRole('button', { name: 'Menu', exact: true });
    if (await compact.isVisible()) await compact.click();
    else await press('User menu')(page);
  }),
  owner('theme-menu', '/dashboard', press('Theme')),
  owner('shortcuts', '/dashboard', (page) => page.keyboard.press('?')),
  owner('offline', '/dashboard', async (page) => {
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
  }),
  owner('focus', '/dashboard', async (page) => {
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('Tab');
  }),
  owner('picker', `/dashboard/bucket/${full}`, async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('option').first().waitFor();
  }),
  owner('picker-none', `/dashboard/bucket/${full}`, async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('combobox', { name: 'Search Bucket' }).fill('nothing');
    await page.getByText('No buckets to diplay.').waitFor();
  }),
  owner('picker-failed', `/dashboard/bucket/${full}`, async (page) => {
    await breakCalls(page, '**/buckets?*');
    await page.locator('[popovertarget=bucket-picker]').click();
    await failed(page);
  }),
];

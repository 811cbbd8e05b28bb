import {
  answerCalls,
  breakCalls,
  dialog,
  failed,
  holdRequests,
  ownerAt as owner,
  press,
  type Scene,
  scrollTo,
} from './scene.ts';

const openCalendar = '.flatpickr-calendar.open';

/** The list of buckets, and a bucket's overview, keys and settings. */
export const BUCKET_STATES: Scene[] = [
  owner('create-bucket', '/dashboard', press('Create bucket')),
  owner('create-bucket-located', '/dashboard', async (page) => {
    await answerCalls(page, '**/buckets/regions', { regions_with_storage: ['WEUR', 'ENAM'] });
    await press('Create bucket')(page);
    await dialog(page).getByLabel('Name').fill('Sail lofts');
    await press(/^Western Europe/)(page);
  }),
  owner('dates', '/dashboard', async (page) => {
    await page.getByLabel('Search between dates').click();
    await page.locator(openCalendar).waitFor();
  }),
  owner('loading', '/dashboard', async (page) => {
    await holdRequests(page, '**/buckets?*');
    await page.getByLabel('Search buckets').fill('web');
    await page.waitForTimeout(1200);
  }),
  owner('list-failed', '/dashboard', async (page) => {
    await breakCalls(page, '**/buckets?*');
    await page.getByLabel('Search buckets').fill('web');
    await failed(page);
  }),
  owner('chart-choice', '/dashboard/bucket/:full', press(/^Chart data/)),
  owner('chart-tip', '/dashboard/bucket/:full?chartType=bandwidth&unit=MiB', async (page) => {
    const bars = page.locator('[data-bar]');
    await bars.nth(9).waitFor();
    await bars.nth(9).hover({ force: true });
  }),
  owner('chart-dates', '/dashboard/bucket/:full?chartType=bandwidth&unit=MiB', async (page) => {
    await page.getByLabel('Search between dates').click();
    const days = page.locator(`${openCalendar} .flatpickr-day:not(.prevMonthDay, .nextMonthDay)`);
    await days.nth(4).click();
    await days.nth(15).hover();
  }),
  owner('chart-values', '/dashboard/bucket/:full?chartType=bandwidth&unit=MiB', async (page) => {
    await page.getByText('Values as a table').click();
    await page.getByText('Values as a table').evaluate((it) => it.scrollIntoView());
  }),
  owner('chart-failed', '/dashboard/bucket/:full', async (page) => {
    await breakCalls(page, '**/buckets/chart/**');
    await press(/^Unit/)(page);
    await page.getByRole('menuitemradio', { name: 'GiB' }).click();
    await failed(page);
  }),
  owner('token', '/dashboard/api-key/:full', async (page) => {
    await press('Show API key')(page);
    await press('Generate new token')(page);
    await page.getByRole('button', { name: 'Copy token' }).waitFor();
    await page.getByRole('button', { name: 'Copy token' }).scrollIntoViewIfNeeded();
  }),
  owner('token-expiry', '/dashboard/api-key/:full', async (page) => {
    await page.getByPlaceholder('dd/mm/yyyy').click();
    await page.locator(openCalendar).waitFor();
  }),
  owner('regenerate', '/dashboard/api-key/:full', async (page) => {
    await press('Regenerate')(page);
    await dialog(page).waitFor();
  }),
  owner('create-key', '/dashboard/api-key/:full', press('Create key')),
  owner('created-key', '/dashboard/api-key/:full', async (page) => {
    await press('Create key')(page);
    await dialog(page).getByLabel('Name').fill('Nightly backup');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy new API key' }).waitFor();
  }),
  owner('key-list', '/dashboard/api-key/:full', scrollTo('Keys for your apps')),
  owner('settings-refused', '/dashboard/settings/:full', async (page) => {
    await page.getByLabel('Webhook URL').fill('ftp://example.com/');
    await press('Save Changes')(page);
    await page.getByText('The webhook must be an http or https URL').first().waitFor();
  }),
  owner('webhook-secret', '/dashboard/settings/:full/webhook', async (page) => {
    await scrollTo('Webhook')(page);
    await press('Show signing secret')(page);
  }),
  owner('webhook-roll', '/dashboard/settings/:full/webhook', press('Rotate secret')),
  owner('bucket-delete', '/dashboard/settings/:full', async (page) => {
    await press('Delete Bucket')(page);
    await dialog(page).waitFor();
  }),
  owner('transforms-off', '/dashboard/settings/:full/delivery', async (page) => {
    await press(/^Off/)(page);
    await dialog(page).waitFor();
  }),
];

import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, row } from '../support/uploading.ts';

test('the details show the text of a file, and nothing of it runs', async ({ page, server }) => {
  const { bucket, token } = await enterBucket(page, server);
  const script = '<script>document.title = "taken"</script><img src=x onerror="document.title=1">';
  for (const [name, text] of [
    ['page.html', script],
    ['long.log', 'line\n'.repeat(50_000)],
    ['empty.txt', ''],
    ['data.bin', '\0'],
  ] as const) {
    const form = new FormData();
    form.set('access', name === 'page.html' ? 'private' : 'public');
    form.set('file', new Blob([text]), name);
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  }
  await page.reload();
  const open = async (name: string) => {
    await row(page, name).getByRole('link').click();
    return page.getByRole('dialog', { name });
  };
  let drawer = await open('page.html');
  await expect(drawer.getByText('counts as bandwidth')).toBeVisible();
  // The drawer may still slide in from the side.
  const topOf = async () => (await drawer.getByRole('link', { name: 'Download' }).boundingBox())?.y;
  const top = await topOf();
  await drawer.getByRole('button', { name: 'Show the text' }).press('Enter');
  const text = drawer.getByRole('region', { name: 'Text of page.html' });
  await expect(text).toHaveText(script);
  await expect(text).toBeFocused();
  await expect(page).toHaveTitle(/Files/);
  expect(await topOf()).toBe(top);
  await expectSound(page, drawer);
  await page.keyboard.press('Escape');

  drawer = await open('long.log');
  await drawer.getByRole('button', { name: 'Show the text' }).click();
  await expect(drawer.getByText('This is the first 100.00 KiB of 244.14 KiB.')).toBeAttached();
  await page.keyboard.press('Escape');
  await expect((await open('empty.txt')).getByText('This file is empty.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect((await open('data.bin')).getByText('This file has no preview.')).toBeVisible();
});

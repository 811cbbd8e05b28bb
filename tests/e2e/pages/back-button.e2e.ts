import { createBucket, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { keepSession, signUpIn, startSession } from '../support/people.ts';

// The browser of these tests has no back/forward cache, as browsers have none where memory is short.
test('a page that was not kept is as it is now when the back button shows it', async ({
  page,
  server,
}) => {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Harbour');
  await page.goto(`/dashboard/files/${bucket.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/billing');
  await uploadFile(server, bucket, 'image', { access: 'public' }, await photo(), 'Quay.jpg');
  const response = await page.goBack();
  expect(await response?.text()).toContain('Quay.jpg');
});

test('a page that was kept from before the login shows who is logged in', async ({
  page,
  server,
}) => {
  const bar = page.getByRole('banner');
  await page.goto('/');
  await expect(bar.getByRole('link', { name: 'Login' })).toBeVisible();
  const session = await signUpIn(page, server);
  await keepSession(page, server, session);
  await page.goto('/docs');
  await page.getByRole('link', { name: 'Wharf' }).first().click();
  await expect(page).toHaveURL('/');
  await expect(bar.getByRole('link', { name: 'Dashboard' })).toBeVisible();
});

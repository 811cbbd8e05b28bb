import { createBucketId, signUp } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { queriesOf } from '../support/buckets.ts';
import { giveSession, newAddress, PASSWORD } from '../support/people.ts';

const COUNT = 120;

test('End goes to the last of all buckets, over pages that are not loaded yet', async ({
  page,
  server,
  admin,
}) => {
  // One account has no more than 100 buckets.
  for (let at = 0; at < COUNT; ) {
    const { token } = await signUp(server, newAddress('piers'), PASSWORD);
    for (const end = at + COUNT / 2; at < end; at += 1)
      await createBucketId(server, token, `Pier ${String(at).padStart(3, '0')}`);
  }
  await giveSession(page, server, admin);
  await page.goto('/admin/buckets?name=Pier');
  const pages = queriesOf(page, '/admin/buckets');
  const menuOf = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
  await menuOf('Pier 119').focus();
  await page.keyboard.press('End');
  await expect(menuOf('Pier 000')).toBeFocused();
  await expect(menuOf('Pier 000')).toBeInViewport();
  await expect(page.getByText('All 120 rows loaded.')).toBeAttached();
  await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '121');
  expect(pages.length).toBe(2);
  await page.keyboard.press('Home');
  await expect(menuOf('Pier 119')).toBeFocused();
  await expect(page.getByText('All 120 rows loaded.')).toHaveCount(0);
});

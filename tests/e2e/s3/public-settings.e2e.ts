import { createBucket } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { startSession } from '../support/people.ts';

test.use({ serverEnv: [{ S3_PORT: '0' }, { scope: 'worker' }] });

test('the owner of a bucket makes its list public, and blocks all that is public', async ({
  page,
  server,
}) => {
  const session = await startSession(page, server);
  const { id } = await createBucket(server, session.token, 'Harbour');
  const read = async () => {
    const headers = { authorization: `Bearer ${session.token}` };
    const response = await fetch(`${server.url}/buckets/${id}`, { headers });
    const { list_public, block_public_access } = (await response.json()) as Record<string, boolean>;
    return { list_public, block_public_access };
  };
  await page.goto(`/dashboard/settings/${id}`);
  const choose = async (group: string, name: RegExp) => {
    const choice = page.getByRole('group', { name: group }).getByRole('button', { name });
    await choice.click();
    await expect(choice).toHaveAttribute('aria-pressed', 'true');
  };
  await choose('Listing', /^Public/);
  expect(await read()).toEqual({ list_public: true, block_public_access: false });
  await choose('Public access', /^Blocked/);
  expect(await read()).toEqual({ list_public: true, block_public_access: true });
  await expectSound(page);
  await choose('Public access', /^Allowed/);
  await choose('Listing', /^Private/);
  expect(await read()).toEqual({ list_public: false, block_public_access: false });
});

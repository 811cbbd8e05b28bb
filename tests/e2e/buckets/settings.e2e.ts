import type { Page } from '@playwright/test';
import { createBucket, uploadImage } from '../../support/client/api.ts';
import { readCode } from '../../support/client/outbox.ts';
import { startReceiver, verify } from '../../support/client/receiver.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { pauseClock } from '../support/clock.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { activate, focusOn, press } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { deleteByCode } from '../support/mailed-code.ts';
import { startSession } from '../support/people.ts';
import { expectToast, recordToasts } from '../support/toasts.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
/** It asks for an hour, so that nothing is retried by itself while a test looks at what waits for a retry. */
const storm = () => new Response('a storm', { status: 500, headers: { 'retry-after': '3600' } });
const photo = async () => new File([new Uint8Array(await makePhoto())], 'photo.jpg');

type Tab = 'General' | 'Webhook' | 'Uploads' | 'Retention' | 'Delivery' | 'Access';

/** Opens a page of the settings from another one. */
async function choose(page: Page, name: Tab) {
  const tab = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name });
  await press(page, tab);
  await expect(tab).toHaveAttribute('aria-current', 'page');
}

/** Opens the settings of a new bucket as a new user. */
async function open(page: Page, server: ServerProcess, tab: Tab = 'General') {
  const session = await startSession(page, server);
  const bucket = await createBucket(server, session.token, 'Harbour');
  await page.goto(`/dashboard/settings/${bucket.id}`);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  if (tab !== 'General') await choose(page, tab);
  return { session, bucket };
}

async function retype(page: Page, label: string, text: string, section = 'General') {
  await focusOn(panel(page, section).getByLabel(label));
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

test('name and webhook are saved together; what is refused is said under its field', async ({
  page,
  server,
}) => {
  const { bucket } = await open(page, server);
  const general = panel(page, 'General');
  await expect(general.getByLabel('Bucket name')).toHaveValue('Harbour');
  await expect(general.getByLabel('Location')).toHaveValue('Default region');
  await expect(general.getByLabel('Location')).not.toBeEditable();
  await expect(general.getByText('Files are stored on this server.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Settings' })).toHaveAttribute(
    'aria-current',
    'page',
  );

  await choose(page, 'Delivery');
  // Delivery has no host of its own here.
  const site = panel(page, 'Static site');
  await expect(site).toContainText('Static sites need a separate host for files.');
  await expect(site.getByRole('button')).toHaveCount(0);

  const images = panel(page, 'Image transforms');
  await expect(images.getByRole('button', { name: /^Open/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  const photograph = await uploadImage(server, bucket, await photo());
  const small = async () => (await fetch(`${photograph.url}?width=10`)).status;
  await expect.poll(small).toBe(200);
  const off = images.getByRole('button', { name: /^Off/ });
  await press(page, off);
  const question = page.getByRole('dialog', { name: 'Turn image transforms off' });
  await expect(question).toContainText(/1 generated image, [\d.]+ KiB, will be deleted\./);
  await expectSound(page, question);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(off).toBeFocused();
  await expect(off).toHaveAttribute('aria-pressed', 'false');
  expect(await small()).toBe(200);
  await press(page, off);
  await press(page, question.getByRole('button', { name: 'Turn off' }));
  await expectToast(page, 'Image transforms are off.');
  expect(await small()).toBe(403);

  await choose(page, 'General');
  await retype(page, 'Bucket name', 'Quay');
  await retype(page, 'Webhook URL', 'ftp://example.com/');
  await press(page, general.getByRole('button', { name: 'Save Changes' }));
  const errorText = 'The webhook must be an http or https URL, or empty.';
  await expect(general.getByRole('alert')).toHaveText(errorText);
  await expectSound(page, general);
  await retype(page, 'Webhook URL', 'https://hooks.example/wharf');
  await press(page, general.getByRole('button', { name: 'Save Changes' }));
  await expectToast(page, 'Settings saved.');
  await expect(general.getByRole('alert')).toBeHidden();
  await expect(page.locator('aside').getByText('Quay')).toBeVisible();
  await expect(page).toHaveTitle('Settings of Quay · Wharf');
  await page.reload();
  await expect(general.getByLabel('Bucket name')).toHaveValue('Quay');
  await expect(general.getByLabel('Webhook URL')).toHaveValue('https://hooks.example/wharf');
  await page.goto('/dashboard');
  await expect(page.getByRole('link', { name: 'Quay' })).toHaveAttribute(
    'href',
    `/dashboard/bucket/${bucket.id}`,
  );
});

test('each page of the settings has an address, and what is no page is not found', async ({
  page,
  server,
}) => {
  const { bucket } = await open(page, server);
  for (const name of ['Uploads', 'Retention', 'Delivery', 'Access'] as const) {
    await choose(page, name);
    await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}/${name.toLowerCase()}`);
    await expect(panel(page, 'Danger Zone')).toHaveCount(0);
    await expectSound(page);
  }
  await page.goBack();
  await expect(panel(page, 'Bandwidth limits')).toBeVisible();
  for (const wrong of ['general', 'nothing', 'toString']) {
    const response = await page.goto(`/dashboard/settings/${bucket.id}/${wrong}`);
    expect(response?.status(), wrong).toBe(404);
  }
});

test('two tabs that change different settings keep the changes of each other', async ({
  page,
  server,
}) => {
  const { bucket } = await open(page, server);
  const other = await page.context().newPage();
  await recordToasts(other);
  await other.goto(`/dashboard/settings/${bucket.id}`);
  await expectHydrated(other, 'settings');
  await retype(page, 'Bucket name', 'Quay');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Settings saved.');
  await retype(other, 'Webhook URL', 'https://hooks.example/wharf');
  await other.keyboard.press('Enter');
  await expectToast(other, 'Settings saved.');
  await expect(other.getByLabel('Bucket name')).toHaveValue('Quay');
  await page.reload();
  await expect(page.getByLabel('Bucket name')).toHaveValue('Quay');
  await expect(page.getByLabel('Webhook URL')).toHaveValue('https://hooks.example/wharf');
});

test('a bandwidth limit is saved, reached and removed', async ({ page, server }) => {
  const { session, bucket } = await open(page, server, 'Delivery');
  const file = await uploadImage(server, bucket, await photo());
  const deliver = async () => (await fetch(file.url ?? '')).status;
  expect(await deliver()).toBe(200);
  const limits = panel(page, 'Bandwidth limits');
  const field = limits.getByLabel('Limit per month, GiB');
  const save = async (text: string) => {
    await field.fill(text);
    await press(page, limits.getByRole('button', { name: 'Save Changes' }));
  };
  await save('ten');
  await expect(limits.getByRole('alert')).toHaveText(/^Enter a number from 0.01/);
  await expectSound(page, limits);
  await save('0.01');
  await expectToast(page, 'Limits saved.');
  await expect(limits.getByRole('alert')).toBeHidden();
  await fetch(`${server.url}/buckets/bandwidth-limit/${bucket.id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 1000 }),
  });
  // What was sent is written every second, and stops the bucket then.
  await expect.poll(deliver).toBe(429);
  await page.reload();
  await expect(limits.getByText(/^The limit is reached/)).toBeVisible();
  await expectSound(page, limits);
  await save('');
  await expectToast(page, 'Limits removed.');
  await expect(limits.getByText(/^The limit is reached/)).toBeHidden();
  expect(await deliver()).toBe(200);
});

test('caches keep paths as long as the owner says', async ({ page, server }) => {
  const { bucket } = await open(page, server, 'Access');
  const image = await uploadImage(server, bucket, await photo());
  const rules = panel(page, 'Access rules');
  const field = rules.getByLabel('Cache time of paths, seconds');
  await expect(field).toHaveValue('60');
  const save = async (text: string) => {
    await field.fill(text);
    await press(page, rules.getByRole('button', { name: 'Save Changes' }));
  };
  for (const wrong of ['', '-1', '1.5', '31536001']) {
    await save(wrong);
    await expect(rules.getByRole('alert')).toHaveText(/^Enter a whole number from 0/);
    await field.fill('60');
    await expect(rules.getByRole('alert')).toBeHidden();
  }
  await expectSound(page, rules);
  await save('0');
  await expectToast(page, 'Access rules saved.');
  const { headers } = await fetch(image.path_url ?? '');
  expect(headers.get('cache-control')).toBe('public, max-age=0');
  await page.reload();
  await expect(field).toHaveValue('0');
});

test('each wrong rule says what is wrong with it, and the first one is focused', async ({
  page,
  server,
}) => {
  await open(page, server, 'Access');
  const rules = panel(page, 'Access rules');
  await rules.getByLabel('Allowed origins (CORS)').fill('example.com');
  await rules.getByLabel('Blocked IP ranges').fill('nobody');
  await rules.getByLabel('Requests per minute and file').fill('many');
  await press(page, rules.getByRole('button', { name: 'Save Changes' }));
  await expect(rules.getByRole('alert')).toHaveText([
    /origins such as https/,
    /addresses or ranges/,
    /^Enter a whole number/,
  ]);
  await expect(rules.getByLabel('Allowed origins (CORS)')).toBeFocused();
  await expectSound(page, rules);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('https://example.com');
  await expect(rules.getByRole('alert')).toHaveCount(2);
});

test('upload rules are saved, and hold for the next upload', async ({ page, server }) => {
  const { bucket } = await open(page, server, 'Uploads');
  const rules = panel(page, 'Upload rules');
  const save = () => press(page, rules.getByRole('button', { name: 'Save Changes' }));
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  // The field is above the window when the button is pressed.
  await page.setViewportSize({ ...size, height: 240 });
  await rules.getByLabel('Allowed types').fill('image');
  await rules.getByLabel('Largest file, MiB').fill('0');
  await save();
  await expect(rules.getByRole('alert')).toHaveText([/^Enter up to 50 types/, /^Enter a number/]);
  await expect(rules.getByLabel('Allowed types')).toBeFocused();
  const bar = await page.getByRole('banner').boundingBox();
  const label = await rules.getByText('Allowed types', { exact: true }).boundingBox();
  expect(label?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
  await page.setViewportSize(size);
  await expectSound(page, rules);
  await rules.getByLabel('Allowed types').fill('video/*, application/pdf');
  await rules.getByLabel('Largest file, MiB').fill('2.5');
  await rules.getByLabel('Storage limit, GiB').fill('1');
  await save();
  await expectToast(page, 'Upload rules saved.');
  await page.reload();
  await expect(rules.getByLabel('Allowed types')).toHaveValue('video/*, application/pdf');
  await expect(rules.getByLabel('Largest file, MiB')).toHaveValue('2.5');
  await expect(rules.getByLabel('Storage limit, GiB')).toHaveValue('1');
  await expect(uploadImage(server, bucket, await photo())).rejects.toThrow();
});

test('originals are kept in a new bucket until its owner says no', async ({ page, server }) => {
  const { bucket } = await open(page, server, 'Uploads');
  const originals = panel(page, 'Originals');
  const choice = (name: RegExp) => originals.getByRole('button', { name });
  await expect(originals).toContainText('count towards storage');
  await expect(choice(/^Keep/)).toHaveAttribute('aria-pressed', 'true');
  await expectSound(page, originals);
  await press(page, choice(/^Delete/));
  await expectToast(page, 'Originals are deleted after processing.');
  await page.reload();
  await expect(choice(/^Delete/)).toHaveAttribute('aria-pressed', 'true');
  expect((await uploadImage(server, bucket, await photo())).kept_original).toBe(false);
  await press(page, choice(/^Keep/));
  await expectToast(page, 'Originals are kept.');
  expect((await uploadImage(server, bucket, await photo())).kept_original).toBe(true);
});

test('the secret is masked, shown and copied; a test is sent, signed with it', async ({
  page,
  server,
}) => {
  const receiver = await startReceiver();
  await page.clock.install();
  const { bucket } = await open(page, server, 'Webhook');
  const box = panel(page, 'Webhook');
  const list = panel(page, 'Deliveries');
  await expect(list.getByText('No deliveries yet.')).toBeVisible();
  await expect(box.getByRole('button', { name: 'Send test' })).toBeDisabled();
  await retype(page, 'Webhook URL', receiver.url, 'Webhook');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Settings saved.');

  await expect(box.getByText('whsec_••••')).toBeVisible();
  await expect(box.getByRole('button', { name: 'Show signing secret' })).toBeEnabled();
  // It would be masked again after ten seconds.
  await pauseClock(page);
  await activate(page, box.getByRole('button', { name: 'Show signing secret' }));
  const secretText = box.getByText(/^whsec_[A-Za-z0-9+/]{32}$/);
  const secret = (await secretText.textContent()) ?? '';
  await activate(page, box.getByRole('button', { name: 'Copy signing secret' }));
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await activate(page, box.getByRole('button', { name: 'Hide signing secret' }));
  await expect(secretText).toBeHidden();
  await page.clock.resume();

  await activate(page, box.getByRole('button', { name: 'Send test' }));
  await expectToast(page, 'Test sent.');
  const row = list.getByRole('row', { name: /webhook\.test/ });
  await expect(row).toContainText('Delivered 200');
  await expect(row).toContainText('thank you');
  verify(secret, await receiver.waitFor(({ body }) => body.type === 'webhook.test'));

  receiver.respondWith(storm);
  await activate(page, box.getByRole('button', { name: 'Send test' }));
  await expectToast(page, 'Test failed. The endpoint responded with 500.');
  await expect(row.first()).toContainText('Failed 500');
  await expect(row.first()).toContainText('a storm');
  await expect(row).toHaveCount(2);

  await uploadImage(server, bucket, await photo());
  const failing = list.getByRole('row', { name: /file\.success/ });
  await expect(failing).toContainText('Retrying 500');
  await expect(failing).toContainText('a storm');
  await expectSound(page, box);
  await expectSound(page, list);
  await receiver.stop();
});

test('a delivery is replayed, the secret rolls, and 410 turns the webhook off until a test is taken', async ({
  page,
  server,
}) => {
  const receiver = await startReceiver(storm);
  const { bucket, session } = await open(page, server, 'Webhook');
  const box = panel(page, 'Webhook');
  const list = panel(page, 'Deliveries');
  await retype(page, 'Webhook URL', receiver.url, 'Webhook');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Settings saved.');
  await uploadImage(server, bucket, await photo());
  const failing = list.getByRole('row', { name: /file\.success/ });
  await expect(failing).toContainText('Retrying 500');
  receiver.respondWith(() => new Response('calm again'));
  await activate(page, failing.getByRole('button', { name: /^Replay file\.success/ }));
  await expect(failing).toContainText('Delivered 200');
  const ids = receiver.received
    .filter(({ body }) => body.type === 'file.success')
    .map(({ id }) => id);
  expect(new Set(ids).size).toBe(1);

  await activate(page, box.getByRole('button', { name: 'Rotate secret' }));
  const dialog = page.getByRole('dialog', { name: 'Rotate secret' });
  await expect(dialog).toContainText('For 24 hours');
  await expectSound(page, dialog);
  await activate(page, dialog.getByRole('button', { name: 'Rotate', exact: true }));
  await expectToast(page, 'Signing secret rotated.');
  const headers = { authorization: `Bearer ${session.token}` };
  const response = await fetch(`${server.url}/buckets/webhook/secret/${bucket.id}`, { headers });
  const rolled = ((await response.json()) as { secret: string }).secret;
  expect(rolled).toMatch(/^whsec_/);
  await activate(page, box.getByRole('button', { name: 'Show signing secret' }));
  await expect(box.getByText(rolled)).toBeVisible();

  receiver.respondWith(() => new Response('moved away', { status: 410 }));
  await uploadImage(server, bucket, await photo());
  await expect(box.getByText('The endpoint answered 410 Gone')).toBeVisible();
  await expectSound(page, box);
  receiver.respondWith(() => new Response('here again'));
  await activate(page, box.getByRole('button', { name: 'Send test' }));
  await expect(box.getByText('The endpoint answered 410 Gone')).toBeHidden();
  await receiver.stop();
});

test('a delivery shows what was sent; deliveries are filtered, and those that failed sent again together', async ({
  page,
  server,
}) => {
  const receiver = await startReceiver(storm);
  const { bucket } = await open(page, server, 'Webhook');
  await retype(page, 'Webhook URL', receiver.url, 'Webhook');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Settings saved.');
  const list = panel(page, 'Deliveries');
  const rows = list.locator('tbody').getByRole('row');
  const uploaded = await uploadImage(server, bucket, await photo());
  await expect(rows).toHaveText([/file\.success.*Retrying 500/]);
  await activate(page, panel(page, 'Webhook').getByRole('button', { name: 'Send test' }));
  await expect(rows).toHaveText([/webhook\.test.*Failed 500/, /file\.success.*Retrying 500/]);

  await activate(page, list.getByRole('button', { name: 'file.success', exact: true }));
  const drawer = page.getByRole('dialog', { name: 'file.success' });
  const part = (name: string) => drawer.getByRole('region', { name });
  await expect(part('Payload')).toContainText(uploaded.id);
  await expect(part('Request headers')).toContainText('webhook-signature: v1,');
  await expect(part('Response')).toContainText('a storm');
  await expectSound(page, drawer);
  await page.keyboard.press('k');
  await expect(page.getByRole('dialog', { name: 'webhook.test' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();

  await activate(page, list.getByRole('button', { name: 'Failed', exact: true }));
  await expect(rows).toHaveText([/webhook\.test/]);
  await activate(page, list.getByRole('button', { name: 'Failed', exact: true }));
  await expect(rows).toHaveCount(2);
  await list.getByRole('button', { name: 'Event: All events' }).click();
  await page.getByRole('menuitemradio', { name: 'file.deleted' }).click();
  await expect(list.getByText('No deliveries match these filters.')).toBeVisible();
  await list.getByRole('button', { name: 'Event: file.deleted' }).click();
  await page.getByRole('menuitemradio', { name: 'All events' }).click();

  receiver.respondWith(() => new Response('calm again'));
  await activate(page, list.getByRole('button', { name: 'Replay undelivered' }));
  const dialog = page.getByRole('dialog', { name: 'Replay events' });
  await expect(dialog).toContainText('All events that failed or wait for a retry are sent again');
  await expectSound(page, dialog);
  await activate(page, dialog.getByRole('button', { name: 'Replay' }));
  await expectToast(page, '1 event is being sent again.');
  await expect(rows).toHaveText([/webhook\.test.*Failed 500/, /file\.success.*Delivered 200/]);
  await receiver.stop();
});

test('the bucket is deleted behind a code, and the dialog says what is lost', async ({
  page,
  server,
}) => {
  const { session, bucket } = await open(page, server);
  const file = await uploadImage(server, bucket, await photo());
  const dialog = page.getByRole('dialog', { name: 'Delete Bucket' });
  const button = panel(page, 'Danger Zone').getByRole('button', { name: 'Delete Bucket' });
  const openedAt = Date.now();
  await activate(page, button);
  await expect(dialog).toContainText(
    /All data of Harbour will be wiped: 1 file, \d+\.\d\d [KM]iB\./,
  );
  await expect(dialog).toContainText(
    `We sent a 6-digit code to ${session.email}. It may be in your spam folder.`,
  );
  await expectSound(page, dialog);
  await readCode(server.outbox, session.email, openedAt);
  const resentAt = Date.now();
  await dialog.getByLabel('Code').fill('123');
  await activate(page, dialog.getByRole('button', { name: 'Resend code' }));
  await expectToast(page, `New code sent to ${session.email}.`);
  await readCode(server.outbox, session.email, resentAt);
  await expect(dialog.getByLabel('Code')).toHaveValue('');
  await activate(page, dialog.getByRole('button', { name: 'Cancel' }));
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();

  await deleteByCode(page, server, { dialog, email: session.email });
  await expect(page).toHaveURL('/dashboard');
  const headers = { authorization: `Bearer ${session.token}` };
  const status = async (address: string) => (await fetch(address, { headers })).status;
  await expect.poll(() => status(`${server.url}/buckets/${bucket.id}`)).toBe(404);
  expect(await status(file.url ?? '')).toBe(404);
  await page.goto(`/dashboard/settings/${bucket.id}`);
  await expect(page.getByText("Something's missing.")).toBeVisible();
});

import type { Frame, Page } from '@playwright/test';
import { expect } from '../fixtures.ts';
import { enterAt, test } from '../support/delivery-hosts.ts';
import { startOtherSite } from '../support/other-site.ts';

// What is refused is an error on the console.
test.use({ expectedComplaints: /./ });

/** Returns a script that tries to reach what is around its page, and keeps in `tried` what came of it. */
const attack = (app: string, neighbour: string) => `
const app = ${JSON.stringify(app)}, neighbour = ${JSON.stringify(neighbour)};
const none = (value) => { if (value === null || value === undefined || value === '') throw new Error('nothing'); return String(value); };
const readApp = (path) => fetch(app + path, { credentials: 'include' }).then((response) => response.text());
const send = (path, method, body) => fetch(app + path, { method, body, mode: 'no-cors', credentials: 'include' });
const loaded = (tag, url) => new Promise((resolve) => {
  const frame = document.createElement(tag);
  frame.onload = frame.onerror = () => resolve(frame);
  frame.src = url;
  document.documentElement.append(frame);
});
const attempts = {
  'reading cookies': () => none(document.cookie),
  'writing cookies': () => { document.cookie = 'planted=planted-by-a-page'; return none(document.cookie); },
  'wider cookies': () => { document.cookie = 'planted=planted-by-a-page; domain=wharf.localhost'; return none(document.cookie); },
  'local storage': () => { localStorage.setItem('planted', '1'); return none(localStorage.getItem('planted')); },
  'session storage': () => { sessionStorage.setItem('planted', '1'); return none(sessionStorage.getItem('planted')); },
  'database': () => new Promise((resolve, reject) => {
    const opening = indexedDB.open('planted');
    opening.onsuccess = () => resolve('opened');
    opening.onerror = () => reject(opening.error);
  }),
  'cache': () => caches.open('planted').then(() => 'opened'),
  'file system': () => navigator.storage.getDirectory().then(() => 'opened'),
  'service worker': () => navigator.serviceWorker.register('attack.js').then(() => 'registered'),
  'worker': () => { new Worker('attack.js').terminate(); return 'started'; },
  'shared worker': () => { new SharedWorker('attack.js'); return 'started'; },
  'reading the session': () => readApp('/users/sessions'),
  'reading the dashboard': () => readApp('/dashboard'),
  'the opener': () => none(opener.document.title),
  'the page around': () => { if (parent === self) throw new Error('none'); return none(parent.document.title); },
  'moving the page around': () => { if (parent === self) throw new Error('none'); top.location.href = 'about:blank'; return 'moved'; },
  'a window': () => { const opened = open(app + '/dashboard'); if (opened === null) throw new Error('blocked'); return 'opened'; },
  'a page of the same host': async () => none((await loaded('iframe', neighbour)).contentDocument.title),
  'the dashboard in a frame': async () => none((await loaded('iframe', app + '/dashboard')).contentDocument.title),
};
const tried = {};
window.tried = (async () => {
  for (const [name, run] of Object.entries(attempts)) {
    try { tried[name] = await run(); } catch { tried[name] = 'refused'; }
  }
  await send('/buckets/', 'POST', JSON.stringify({ name: 'Taken' })).catch(() => {});
  await send('/users/logout', 'POST').catch(() => {});
  tried['a file of the site'] = await fetch('data.txt').then((response) => response.text(), () => 'refused');
  return tried;
})();
window.submitForm = () => {
  const form = document.createElement('form');
  Object.assign(form, { action: app + '/users/logout', method: 'post', target: '_self' });
  document.documentElement.append(form);
  form.submit();
};
`;

type Attack = { tried: Promise<Record<string, string>>; submitForm: () => void };

const triedIn = (page: Page | Frame) =>
  page.evaluate(() => (globalThis as unknown as Attack).tried);

test('a page of a static site reaches nothing around it', async ({
  page,
  context,
  server,
  hosts,
}) => {
  const { user, bucket, put } = await enterAt(page, server, hosts.app);
  const response = await fetch(`${server.url}/buckets/delivery-rules/${bucket.id}`, {
    method: 'PUT',
    headers: { ...user.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ static_site: true }),
  });
  expect(response.status).toBe(200);
  await put('neighbour.html', '<!doctype html><title>Neighbour</title>');
  await put('data.txt', 'of the site');
  const site = `${hosts.cdn}/${bucket.id}/~/`;
  const script = attack(hosts.app, `${site}neighbour.html`);
  await put('attack.js', script);
  await put('index.html', '<!doctype html><title>Site</title><script src="attack.js"></script>');

  await page.goto(`${hosts.app}/dashboard`);
  await page.evaluate(() => localStorage.setItem('secret', 'of the dashboard'));

  const expectRefused = async (where: Page | Frame) => {
    const { 'a file of the site': file, ...others } = await triedIn(where);
    expect(file).toBe('of the site');
    expect(Object.keys(others).length).toBeGreaterThan(15);
    expect(Object.entries(others).filter(([, outcome]) => outcome !== 'refused')).toEqual([]);
    await where.evaluate(() => (globalThis as unknown as Attack).submitForm());
  };
  // By itself, opened by the dashboard, and in a page of another site.
  const alone = await context.newPage();
  await alone.goto(site);
  await expect(alone).toHaveTitle('Site');
  await expectRefused(alone);
  expect(alone.url()).toBe(site);

  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((url) => void window.open(url), site),
  ]);
  await opened.waitForURL(site);
  await expectRefused(opened);

  const other = await startOtherSite(() => `<iframe src="${site}"></iframe>`);
  const around = await context.newPage();
  await around.goto(other.url);
  const frame = around.frames().find((one) => one.url() === site);
  if (!frame) throw new Error('no frame');
  await expectRefused(frame);
  expect(around.url()).toBe(other.url);
  other.close();

  // Nothing was planted, changed or ended.
  const cookies = await context.cookies();
  expect(cookies.map(({ name }) => name)).not.toContain('planted');
  expect(cookies.map(({ name }) => name)).toContain('wharf_session');
  await page.goto(`${hosts.app}/dashboard`);
  await expect(page.getByRole('heading', { name: 'Your Buckets' })).toBeVisible();
  await expect(page.getByText('Taken')).toBeHidden();
  expect(await page.evaluate(() => localStorage.getItem('planted'))).toBeNull();
  const sessions = await fetch(`${server.url}/users/sessions`, { headers: user.authorization });
  expect(sessions.status).toBe(200);
  expect(context.serviceWorkers()).toEqual([]);

  // At the dashboard's host the same page is saved.
  const download = alone.waitForEvent('download');
  const { pathname } = new URL(`${site}index.html`);
  await alone.goto(hosts.app + pathname).catch(() => {});
  expect((await download).suggestedFilename()).toBe('index.html');
});

test('the same script reaches what is around a page without a sandbox', async ({ page, hosts }) => {
  // The page of the same host that it reads is this one, in a frame, which tries nothing itself.
  const script = `if (parent === self) { ${attack(hosts.app, '/')} }`;
  const other = await startOtherSite(() => `<script>${script}</script>`);
  await page.goto(other.url);
  const tried = await triedIn(page);
  for (const name of [
    ...['writing cookies', 'local storage', 'session storage', 'database', 'cache', 'file system'],
    ...['worker', 'shared worker', 'a page of the same host'],
  ]) {
    expect([name, tried[name]]).not.toEqual([name, 'refused']);
  }
  other.close();
});
